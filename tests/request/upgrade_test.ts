/** An upgrade that failed later ends itself, never the server (behaviour 8.6). */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { FrameworkRequest, Middleware } from "@bough/framework";
import type { CommonOptions } from "@bough/framework/types";
import { honoMiddleware } from "@bough/framework/hono";
import { accessLog } from "@bough/framework/log";
import { openingSocket } from "../../src/request/upgrade.ts";
import { CapturedLog, FolderApplication } from "../support/application.ts";
import { exchange, type RawResponse } from "../support/raw_http.ts";

const UPGRADE = "const { socket, response } = Deno.upgradeWebSocket(request);";
const ECHO = `${UPGRADE} socket.onmessage = ({ data }) => socket.send(data);`;
const SOCKET = `export function GET(request) { ${ECHO} return response; }`;
const PASS = "export default (_request, next) => next();";

/** What goes wrong after an upgrade. */
const FAULTS: Readonly<
  Record<string, {
    files: Readonly<Record<string, string>>;
    options?: CommonOptions;
  }>
> = {
  "a handler throws": {
    files: {
      "route.js": `export function GET(request) { ${UPGRADE} throw 1; }`,
    },
  },
  "an async handler throws": {
    files: {
      "route.js":
        `export async function GET(request) { ${UPGRADE} await 0; throw 1; }`,
    },
  },
  "a handler throws a Response": {
    files: {
      "route.js":
        `export function GET(request) { ${UPGRADE} throw new Response(); }`,
    },
  },
  "a handler returns nothing": {
    files: {
      "route.js": `export async function GET(request) { ${UPGRADE} }`,
    },
  },
  "a checked handler throws": {
    files: {
      "route.js": `import { z } from "npm:zod@^4.1.13";
        export const schema = { get: { query: z.object({}) } };
        export function GET(request) { ${UPGRADE} throw 1; }`,
    },
  },
  "a folder's middleware throws": {
    files: {
      "route.js": SOCKET,
      "middleware.js":
        `export default async (_, next) => { await next(); throw 1; };`,
    },
  },
  "a folder's middleware returns another response": {
    files: {
      "route.js": SOCKET,
      "middleware.js":
        `export default async (_, next) => { await next(); return new Response(); };`,
    },
  },
  "the application's middleware throws": {
    files: { "route.js": SOCKET },
    options: {
      middleware: [
        (async (_, next) => {
          await next();
          throw new Error("after");
        }) satisfies Middleware,
      ],
    },
  },
  "Hono's middleware throws": {
    files: { "route.js": SOCKET },
    options: {
      middleware: [honoMiddleware(async (_, next) => {
        await next();
        throw new Error("after");
      })],
    },
  },
  "onError throws, too,": {
    files: {
      "route.js": `export function GET(request) { ${UPGRADE} throw 1; }`,
    },
    options: {
      onError: () => {
        throw 2;
      },
    },
  },
  "onError responds": {
    files: {
      "route.js": `export function GET(request) { ${UPGRADE} throw 1; }`,
    },
    options: { onError: () => new Response("mine") },
  },
  "a handler throws an AbortError": {
    files: {
      "route.js":
        `export function GET(request) { ${UPGRADE} throw new DOMException("late", "AbortError"); }`,
    },
  },
  "onError upgrades and throws": {
    files: { "route.js": `export function GET() { throw 1; }` },
    options: {
      onError: (_, request) => {
        Deno.upgradeWebSocket(request);
        throw 2;
      },
    },
  },
  "onError upgrades and returns nothing": {
    files: { "route.js": `export function GET() { throw 1; }` },
    options: { onError: (_, request) => void Deno.upgradeWebSocket(request) },
  },
  "onNotFound returns nothing": {
    files: {},
    options: { onNotFound: upgradeIfAsked },
  },
  "onNotFound returns another response": {
    files: {},
    options: {
      onNotFound(request) {
        upgradeIfAsked(request);
        return new Response("none", { status: 404 });
      },
    },
  },
};

function upgradeIfAsked(request: Request): void {
  if (request.headers.has("upgrade")) Deno.upgradeWebSocket(request);
}

async function outcomeOf(url: string): Promise<string> {
  const socket = new WebSocket(url);
  return await new Promise<string>((resolve) => {
    socket.onopen = () => socket.send("echo");
    socket.onmessage = ({ data }) => resolve(data);
    socket.onclose = () => resolve("closed");
  }).finally(() => socket.close());
}

for (const [fault, { files, options }] of Object.entries(FAULTS)) {
  Deno.test(`the server lives when ${fault} after an upgrade`, async () => {
    using log = new CapturedLog();
    await using application = await FolderApplication.create({
      ...Object.fromEntries(
        Object.entries(files).map(([name, code]) => [`broken/${name}`, code]),
      ),
      "fine/route.js": SOCKET,
      "plain/route.js": "export const GET = () => new Response('plain');",
    }, options);
    await using server = await application.serve();
    const socketUrl = server.url("/api").replace("http", "ws");
    for (let round = 0; round < 2; round++) {
      assertEquals(await outcomeOf(`${socketUrl}/broken`), "closed");
    }
    // With a response, `onError` says that it has logged the error itself.
    const logged = {
      "onError responds": 0,
      "onError throws, too,": 4,
      "onError upgrades and throws": 4,
      // As where the client is gone: an upgrade aborts the signal, too.
      "a handler throws an AbortError": 0,
    }[fault];
    assertEquals(log.lines.length, logged ?? 2, log.lines.join("\n"));
    if (options?.middleware === undefined) {
      assertEquals(await outcomeOf(`${socketUrl}/fine`), "echo");
      const plain = await fetch(server.url("/api/plain"));
      assertEquals(await plain.text(), "plain");
    }
    const missing = await fetch(server.url("/none"));
    await missing.body?.cancel();
    assert([404, 500].includes(missing.status));
  });
}

Deno.test("a socket works behind accessLog()", async () => {
  const statuses: number[] = [];
  await using application = await FolderApplication.create(
    { "route.js": SOCKET },
    {
      middleware: [
        accessLog({ write: ({ status }) => void statuses.push(status) }),
      ],
    },
  );
  await using server = await application.serve();
  const url = server.url("/api").replace("http", "ws");
  assertEquals(await outcomeOf(url), "echo");
  assertEquals(await outcomeOf(url), "echo");
  assertEquals(statuses, [101, 101]);
});

Deno.test("an upgrade that was refused is an ordinary failure", async () => {
  using _log = new CapturedLog();
  await using application = await FolderApplication.create({
    "route.js": `export const GET = () => { throw new Error("before"); };`,
  });
  await using server = await application.serve();
  const response = await fetch(server.url("/api"), {
    headers: { upgrade: "websocket" },
  });
  assertEquals(response.status, 500);
  await response.body?.cancel();
});

Deno.test("a request that asks for no upgrade is a 426, and no entry in the log (behaviour 8.6)", async () => {
  const opened = `const request = arguments[0]; ${UPGRADE} return response;`;
  for (
    const files of [
      { "route.js": SOCKET },
      { "route.js": `export async function GET() { await 0; ${opened} }` },
      { "route.js": SOCKET, "middleware.js": PASS },
    ]
  ) {
    using log = new CapturedLog();
    await using application = await FolderApplication.create(files);
    await using server = await application.serve();
    for (
      const [headers, status] of [
        ["", 426],
        ["Upgrade: h2c", 426],
        ["Upgrade: websocketx\nSec-WebSocket-Key: eA==", 426],
        ["Upgrade: websocket", 400],
      ] as const
    ) {
      const response = await rawUpgrade(server.port, headers);
      assertEquals(response.status, status, headers);
      const { headers: sent, body } = response;
      assertEquals(sent.get("content-type"), "application/problem+json");
      assertEquals(JSON.parse(body).status, status);
      if (status !== 426) continue;
      assertEquals(sent.get("upgrade"), "websocket");
      assertStringIncludes(sent.get("connection")!.toLowerCase(), "upgrade");
    }
    assertEquals(log.lines, []);
  }
});

Deno.test("an upgrade that a handler breaks is a 500", async () => {
  const copied =
    "export function GET(request) { Deno.upgradeWebSocket(new Request(request.url)); }";
  const forged = `export function GET() {
    throw new TypeError("Invalid Header: 'upgrade' header must contain 'websocket'");
  }`;
  using log = new CapturedLog();
  await using application = await FolderApplication.create({
    "copied/route.js": copied,
    "forged/route.js": forged,
  });
  await using server = await application.serve();
  const key = "Upgrade: websocket\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==";
  for (const path of ["copied", "forged"]) {
    const { status } = await rawUpgrade(server.port, key, `/api/${path}`);
    assertEquals(status, 500, path);
  }
  assertEquals(log.lines.length, 2);
});

/** Sends a request with `Connection: Upgrade` and further headers. */
function rawUpgrade(
  port: number,
  headers: string,
  path = "/api",
): Promise<RawResponse> {
  const lines = [`GET ${path} HTTP/1.1`, "Host: localhost"];
  lines.push("Connection: Upgrade, close");
  if (headers !== "") lines.push(...headers.split("\n"));
  lines.push("", "");
  return exchange(port, [new TextEncoder().encode(lines.join("\r\n"))]);
}

Deno.test("a handler that upgrades nothing may return anything", async () => {
  const request = new Request("http://localhost/", {
    headers: { upgrade: "websocket" },
  }) as FrameworkRequest;
  for (const response of [undefined, new Response(), Response.error()]) {
    const handler = () => response as Response;
    assertEquals(await openingSocket(handler)(request), response);
  }
});
