import { assert, assertEquals, assertMatch } from "@std/assert";
import type { Middleware } from "@bough/framework";
import { accessLog, type AccessLogEntry } from "@bough/framework/log";
import {
  CapturedLog,
  FolderApplication,
  type TestServer,
} from "../support/application.ts";
import { rawRequest } from "../support/raw_http.ts";

const FILES = {
  "users/[id]/route.ts": `
    export async function GET({ params }) {
      if (params.id === "bad") throw new Error("secret");
      await new Promise((go) => setTimeout(go, 20));
      return new Response("x");
    }`,
};

Deno.test("accessLog() tells of every request, errors and misses among them", async () => {
  const entries: AccessLogEntry[] = [];
  await using application = await FolderApplication.create(FILES, {
    middleware: [accessLog({ write: (entry) => void entries.push(entry) })],
  });
  using _ = new CapturedLog();
  await using server = await application.serve();
  for (
    const line of [
      "GET /api/users/42?token=secret",
      "GET /api/users/bad",
      "POST /api/users/42",
      "GET /nothing/%22x",
      "GET /%GG",
    ]
  ) await rawRequest(server.port, `${line} HTTP/1.1`);
  await application.fetch("/api/users/1");

  assertEquals(
    entries.map(({ time: _, ms: _ms, ...rest }) => rest),
    [
      ["GET", "/api/users/42", "/api/users/[id]", 200],
      ["GET", "/api/users/bad", "/api/users/[id]", 500],
      ["POST", "/api/users/42", "/api/users/[id]", 405],
      ["GET", "/nothing/%22x", undefined, 404],
      ["GET", "/%GG", undefined, 400],
      ["GET", "/api/users/1", "/api/users/[id]", 200],
    ].map(([method, path, route, status], index) => ({
      method,
      path,
      ...(route !== undefined && { route }),
      status,
      ...(index < 5 && { client: "127.0.0.1" }),
    })) as never,
  );
  assertMatch(entries[0]!.time, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  assert(entries[0]!.ms >= 15, String(entries[0]!.ms));
});

Deno.test("accessLog() tells milliseconds, to the microsecond", async () => {
  const entries: AccessLogEntry[] = [];
  await using application = await FolderApplication.create({
    "route.ts": `export const GET = () => {
      globalThis.clockAt += 11.8456789;
      return new Response();
    };`,
  }, {
    middleware: [accessLog({ write: (entry) => void entries.push(entry) })],
  });
  await application.app.start();
  const clock = globalThis as { clockAt?: number };
  clock.clockAt = 1_000.5;
  const { now } = performance;
  performance.now = () => clock.clockAt!;
  try {
    await application.fetch("/api");
  } finally {
    performance.now = now;
    delete clock.clockAt;
  }
  assertEquals(entries[0]!.ms, 11.846);
});

Deno.test("accessLog() prints one line of JSON for each request", async () => {
  await using application = await FolderApplication.create(FILES, {
    middleware: [accessLog()],
  });
  const lines: string[] = [];
  const { log } = console;
  console.log = (line: string) => void lines.push(line);
  try {
    await application.fetch('/api/users/a"\n');
  } finally {
    console.log = log;
  }
  assertEquals(lines.length, 1);
  assertEquals(lines[0]!.includes("\n"), false);
  assertEquals(JSON.parse(lines[0]!).status, 200);
});

const SOCKET = {
  "route.js": "export const GET = () => new Response('served');",
  "socket/route.js": `export function GET(request) {
    const { socket, response } = Deno.upgradeWebSocket(request);
    socket.onmessage = ({ data }) => socket.send("echo " + data);
    return response;
  }`,
};

/** Says a word to a WebSocket, and gives what comes back. */
async function echo(server: TestServer): Promise<string> {
  const socket = new WebSocket(`ws://127.0.0.1:${server.port}/api/socket`);
  const { promise, resolve } = Promise.withResolvers<string>();
  socket.onopen = () => socket.send("word");
  socket.onmessage = ({ data }) => resolve(data);
  socket.onerror = () => resolve("refused");
  const timer = setTimeout(resolve, 5_000, "silence");
  const heard = await promise;
  clearTimeout(timer);
  const closed = new Promise((done) => socket.onclose = done);
  socket.close();
  if (heard === "echo word") await closed;
  return heard;
}

async function textAt(server: TestServer, target: string): Promise<string> {
  return await (await fetch(server.url(target))).text();
}

Deno.test("accessLog() tells of a WebSocket, and the server goes on (behaviour 8.6)", async () => {
  const entries: AccessLogEntry[] = [];
  await using application = await FolderApplication.create(SOCKET, {
    middleware: [accessLog({ write: (entry) => void entries.push(entry) })],
  });
  await using server = await application.serve();
  assertEquals(await echo(server), "echo word");
  const [{ time: _, ms: _ms, ...rest }] = entries as [AccessLogEntry];
  assertEquals(rest, {
    method: "GET",
    path: "/api/socket",
    route: "/api/socket",
    status: 101,
    client: "127.0.0.1",
  });
  assertEquals(await textAt(server, "/api"), "served");
});

Deno.test("accessLog() sends the response although its entry cannot be written (behaviour 8.6)", async () => {
  for (
    const write of [
      () => {
        throw new Error("disk is full");
      },
      () => Promise.reject(new Error("disk is full")),
    ]
  ) {
    using log = new CapturedLog();
    await using application = await FolderApplication.create(SOCKET, {
      middleware: [accessLog({ write })],
    });
    await using server = await application.serve();
    assertEquals(await textAt(server, "/api"), "served");
    assertEquals(await echo(server), "echo word");
    assertEquals(await textAt(server, "/api"), "served");
    assertEquals(log.lines.length, 3);
    for (const line of log.lines) {
      assert(line.includes("accessLog() could not write"), line);
      assert(line.includes("Error: disk is full"), line);
    }
  }
});

Deno.test("accessLog() does without an address that the server does not tell", async () => {
  const entries: AccessLogEntry[] = [];
  const hide: Middleware = (request, next) => {
    Object.defineProperty(request, "info", {
      value: {
        get remoteAddr() {
          throw new TypeError("Request closed");
        },
      },
    });
    return next();
  };
  await using application = await FolderApplication.create(SOCKET, {
    middleware: [
      hide,
      accessLog({ write: (entry) => void entries.push(entry) }),
    ],
  });
  const response = await application.fetch("/api");
  assertEquals(await response.text(), "served");
  assertEquals(entries.map(({ client }) => client), [undefined]);
});

Deno.test("accessLog() prints no character that breaks a line or steers a terminal", async () => {
  const path = "/api/\x1b[31m\x7f\x85\x9b2J\u2028\u2029\u202e\u2066\ud800\n";
  const lines: string[] = [];
  const { log } = console;
  console.log = (line: string) => void lines.push(line);
  const raw: Middleware = (request, next) => {
    // As a server hands it over: `new Request()` would have escaped it.
    Object.defineProperty(request, "url", { value: `http://localhost${path}` });
    return next();
  };
  await using application = await FolderApplication.create(FILES, {
    middleware: [raw, accessLog()],
  });
  try {
    await (await application.fetch("/api")).body?.cancel();
  } finally {
    console.log = log;
  }
  assertEquals(lines.length, 1);
  assertMatch(lines[0]!, /^[\x20-\x7e]+$/);
  assertEquals(JSON.parse(lines[0]!).path, path);
});
