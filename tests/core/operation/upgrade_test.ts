/** If an error follows an upgrade, its socket closes, but never the server (behaviour 8.6). */
import type { Middleware } from "@bough/framework";
import { honoMiddleware } from "@bough/framework/hono";
import type { CommonOptions } from "@bough/framework/types";
import { assertEquals, assertStringIncludes } from "@std/assert";
import { z } from "zod";
import {
  CapturedLog,
  TestApplication,
  type TestModule,
} from "../../support/application.ts";
import { exchange, type RawResponse } from "../../support/raw_http.ts";
import { firstMessage } from "./support.ts";

function echo(request: Request): Response {
  const { socket, response } = Deno.upgradeWebSocket(request);
  socket.onmessage = ({ data }) => socket.send(data);
  return response;
}

const SOCKET: TestModule = { GET: echo };

/** A handler or hook that upgrades a request, and then calls a function. */
const upgrading = (after: () => unknown) => (request: Request): never => {
  if (request.headers.has("upgrade")) Deno.upgradeWebSocket(request);
  return after() as never;
};

const throwing = (error: unknown) => (): never => {
  throw error;
};
const upgradeAndThrow: TestModule = { GET: upgrading(throwing(1)) };

const throwAfter: Middleware = async (_, next) => {
  await next();
  throw new Error("after");
};

/** Errors after an upgrade. */
const FAULTS: Readonly<
  Record<string, {
    readonly route?: TestModule;
    readonly middleware?: Middleware;
    readonly options?: CommonOptions;
    /** The lines in the log of two requests. */
    readonly logged?: number;
  }>
> = {
  "a handler throws": { route: upgradeAndThrow },
  "an async handler throws": {
    route: { GET: upgrading(() => Promise.resolve().then(throwing(1))) },
  },
  "a handler throws a Response": {
    route: { GET: upgrading(throwing(new Response())) },
  },
  "a handler returns nothing": {
    route: { GET: upgrading(() => Promise.resolve()) },
  },
  "a checked handler throws": {
    route: { ...upgradeAndThrow, schema: { get: { query: z.object({}) } } },
  },
  "a handler throws an AbortError": {
    route: { GET: upgrading(throwing(new DOMException("", "AbortError"))) },
    // As if the client had disconnected: an upgrade aborts the signal as well.
    logged: 0,
  },
  "a folder's middleware throws": { route: SOCKET, middleware: throwAfter },
  "a folder's middleware returns another response": {
    route: SOCKET,
    async middleware(_, next) {
      await next();
      return new Response();
    },
  },
  "the application's middleware throws": {
    route: SOCKET,
    options: { middleware: [throwAfter] },
  },
  "Hono's middleware throws": {
    route: SOCKET,
    options: {
      middleware: [honoMiddleware(async (_, next) => {
        await next();
        throw new Error("after");
      })],
    },
  },
  "onError throws": {
    route: upgradeAndThrow,
    options: { onError: throwing(2) },
    logged: 4,
  },
  "onError responds": {
    route: upgradeAndThrow,
    options: { onError: () => new Response("mine") },
    logged: 0,
  },
  "onError upgrades and throws": {
    route: { GET: throwing(1) },
    options: { onError: (_, request) => upgrading(throwing(2))(request) },
    logged: 4,
  },
  "onError upgrades and returns nothing": {
    route: { GET: throwing(1) },
    options: { onError: (_, request) => upgrading(() => {})(request) },
  },
  "onNotFound returns nothing": {
    options: { onNotFound: upgrading(() => {}) },
  },
  "onNotFound returns another response": {
    options: { onNotFound: upgrading(() => new Response("none")) },
  },
};

for (const [fault, given] of Object.entries(FAULTS)) {
  Deno.test(`the server continues if ${fault} after an upgrade (behaviour 8.6)`, async () => {
    using log = new CapturedLog();
    const { route, middleware, options, logged = 2 } = given;
    const application = TestApplication.of({
      ...(route && { "broken/route.ts": route }),
      ...(middleware && { "broken/middleware.ts": { default: middleware } }),
      "fine/route.ts": SOCKET,
      "plain/route.ts": { GET: () => new Response("plain") },
    }, options);
    await using server = await application.serve();
    for (let round = 0; round < 2; round++) {
      assertEquals(await firstMessage(server.url("/api/broken")), "closed");
    }
    assertEquals(log.lines.length, logged, log.lines.join("\n"));
    const isAround = options?.middleware !== undefined;
    const first = await firstMessage(server.url("/api/fine"));
    assertEquals(first, isAround ? "closed" : "echo");
    const plain = await fetch(server.url("/api/plain"));
    await plain.body?.cancel();
    assertEquals(plain.status, isAround ? 500 : 200);
  });
}

Deno.test("Bough responds with 426 to a request without an upgrade, and logs nothing (behaviour 8.6)", async () => {
  using log = new CapturedLog();
  const application = TestApplication.of({
    "route.ts": SOCKET,
    "later/route.ts": {
      GET: (request) => Promise.resolve(request).then(echo),
    },
    "guarded/route.ts": SOCKET,
    "guarded/middleware.ts": { default: (_, next) => next() },
  });
  await using server = await application.serve();
  for (const path of ["/api", "/api/later", "/api/guarded"]) {
    for (
      const [headers, status] of [
        ["", 426],
        ["Upgrade: h2c", 426],
        ["Upgrade: websocketx\nSec-WebSocket-Key: eA==", 426],
        ["Upgrade: websocket", 400],
      ] as const
    ) {
      const response = await rawUpgrade(server.port, headers, path);
      assertEquals(response.status, status, headers);
      const { headers: sent, body } = response;
      assertEquals(sent.get("content-type"), "application/problem+json");
      assertEquals(JSON.parse(body).status, status);
      if (status !== 426) continue;
      assertEquals(sent.get("upgrade"), "websocket");
      assertStringIncludes(sent.get("connection")!.toLowerCase(), "upgrade");
    }
  }
  assertEquals(log.lines, []);
});

Deno.test("if a handler causes the error of an upgrade, or throws before, Bough responds with 500", async () => {
  using log = new CapturedLog();
  const application = TestApplication.of({
    "copied/route.ts": {
      GET: ({ url }) => void Deno.upgradeWebSocket(new Request(url)),
    },
    "forged/route.ts": {
      GET: throwing(
        new TypeError(
          "Invalid Header: 'upgrade' header must contain 'websocket'",
        ),
      ),
    },
    "before/route.ts": { GET: throwing(new Error("before")) },
  });
  await using server = await application.serve();
  const key = "Upgrade: websocket\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==";
  for (const path of ["copied", "forged", "before"]) {
    const { status } = await rawUpgrade(server.port, key, `/api/${path}`);
    assertEquals(status, 500, path);
  }
  assertEquals(log.lines.length, 3);
});

/** Sends a request with `Connection: Upgrade` and further headers. */
function rawUpgrade(
  port: number,
  headers: string,
  path: string,
): Promise<RawResponse> {
  const lines = `GET ${path} HTTP/1.1\nHost: localhost\n${headers}`.trim()
    .concat("\nConnection: Upgrade, close\n\n").replaceAll("\n", "\r\n");
  return exchange(port, [new TextEncoder().encode(lines)]);
}
