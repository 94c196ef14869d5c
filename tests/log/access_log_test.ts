import { assert, assertEquals, assertMatch } from "@std/assert";
import { type Middleware, RequestState } from "@bough/framework";
import { accessLog, type AccessLogEntry } from "@bough/framework/log";
import {
  CapturedLog,
  TestApplication,
  type TestModule,
  type TestServer,
} from "../support/application.ts";
import { FakeClock } from "../support/fake_clock.ts";
import { rawRequest } from "../support/raw_http.ts";
import { within } from "../support/until.ts";

const FILES: Record<string, TestModule> = {
  "users/[id]/route.ts": {
    GET: ({ params }) => {
      if (params.id === "bad") throw new Error("secret");
      return new Response("x");
    },
  },
};

/** An application with an access log, and its entries. */
function logged(
  files: Readonly<Record<string, TestModule>>,
  ...before: readonly Middleware[]
) {
  const entries: AccessLogEntry[] = [];
  const log = accessLog({ write: (entry) => void entries.push(entry) });
  const application = TestApplication.of(files, {
    middleware: [...before, log],
  });
  return { application, entries };
}

/** Sends a request to an application, and returns its lines of output. */
async function linesOf(
  target: string,
  ...before: readonly Middleware[]
): Promise<string[]> {
  const application = TestApplication.of(FILES, {
    middleware: [...before, accessLog()],
  });
  const lines: string[] = [];
  const { log } = console;
  console.log = (line: string) => void lines.push(line);
  try {
    await (await application.fetch(target)).body?.cancel();
  } finally {
    console.log = log;
  }
  return lines;
}

Deno.test("accessLog() lists every request, including errors and 404s", async () => {
  const { application, entries } = logged(FILES);
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
});

Deno.test("accessLog() passes the request, with its states, to write()", async () => {
  const user = new RequestState<string>("user");
  const users: unknown[] = [];
  const application = TestApplication.of(FILES, {
    middleware: [
      accessLog({ write: (_, request) => void users.push(user.find(request)) }),
      (request, next) => (user.set(request, "ada"), next()),
    ],
  });
  using _ = new CapturedLog();
  for (const path of ["/api/users/42", "/api/users/bad", "/nothing"]) {
    await (await application.fetch(path)).body?.cancel();
  }
  assertEquals(users, ["ada", "ada", "ada"]);
});

Deno.test("accessLog() measures milliseconds, to the microsecond", async () => {
  using clock = new FakeClock();
  const { application, entries } = logged({
    "route.ts": {
      GET: () => {
        clock.tick(11.8456789);
        return new Response();
      },
    },
  });
  await application.fetch("/api");
  assertEquals(entries[0]!.ms, 11.846);
});

Deno.test("accessLog() prints one line of JSON for each request", async () => {
  const lines = await linesOf('/api/users/a"\n');
  assertEquals(lines.length, 1);
  assertEquals(lines[0]!.includes("\n"), false);
  assertEquals(JSON.parse(lines[0]!).status, 200);
});

const SOCKET: Record<string, TestModule> = {
  "route.ts": { GET: () => new Response("served") },
  "socket/route.ts": {
    GET: (request) => {
      const { socket, response } = Deno.upgradeWebSocket(request);
      socket.onmessage = ({ data }) => socket.send(`echo ${data}`);
      return response;
    },
  },
};

/** Sends a word to a WebSocket, and returns the response. */
async function echo(server: TestServer): Promise<string> {
  const socket = new WebSocket(`ws://127.0.0.1:${server.port}/api/socket`);
  const { promise, resolve } = Promise.withResolvers<string>();
  socket.onopen = () => socket.send("word");
  socket.onmessage = ({ data }) => resolve(data);
  socket.onerror = () => resolve("refused");
  const heard = await within(promise);
  const closed = new Promise((done) => socket.onclose = done);
  socket.close();
  if (heard === "echo word") await closed;
  return heard;
}

async function textAt(server: TestServer, target: string): Promise<string> {
  return await (await fetch(server.url(target))).text();
}

Deno.test("accessLog() lists a WebSocket, and the server continues (behaviour 8.6)", async () => {
  const { application, entries } = logged(SOCKET);
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

Deno.test("accessLog() sends the response even if the entry cannot be written (behaviour 8.6)", async () => {
  for (
    const write of [
      () => {
        throw new Error("disk is full");
      },
      () => Promise.reject(new Error("disk is full")),
    ]
  ) {
    using log = new CapturedLog();
    const application = TestApplication.of(SOCKET, {
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

Deno.test("accessLog() omits an address that the server does not know", async () => {
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
  const { application, entries } = logged(SOCKET, hide);
  const response = await application.fetch("/api");
  assertEquals(await response.text(), "served");
  assertEquals(entries.map(({ client }) => client), [undefined]);
});

Deno.test("accessLog() escapes characters that break a line or control a terminal", async () => {
  const path = "/api/\x1b[31m\x7f\x85\x9b2J\u2028\u2029\u202e\u2066\ud800\n";
  const raw: Middleware = (request, next) => {
    // The URL that a server passes on; `new Request()` would escape it.
    Object.defineProperty(request, "url", { value: `http://localhost${path}` });
    return next();
  };
  const lines = await linesOf("/api", raw);
  assertEquals(lines.length, 1);
  assertMatch(lines[0]!, /^[\x20-\x7e]+$/);
  assertEquals(JSON.parse(lines[0]!).path, path);
});
