/** If an error follows an upgrade, its socket closes, but never the server (behaviour 8.6). */
import type { FrameworkRequest, Middleware } from "@bough/framework";
import { honoMiddleware } from "@bough/framework/hono";
import { accessLog } from "@bough/framework/log";
import type { CommonOptions } from "@bough/framework/types";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { z } from "zod";
import { openingSocket } from "../../../src/core/operation/upgrade.ts";
import {
  CapturedLog,
  TestApplication,
  type TestModule,
} from "../../support/application.ts";
import { exchange, type RawResponse } from "../../support/raw_http.ts";
import { firstMessage, throwing } from "./support.ts";

function echo(request: Request): Response {
  const { socket, response } = Deno.upgradeWebSocket(request);
  socket.onmessage = ({ data }) => socket.send(data);
  return response;
}

const SOCKET: TestModule = { GET: echo };

/** A route whose handler upgrades a request, and then throws. */
const upgradeAndThrow = (
  error: unknown,
  rest: TestModule = {},
): TestModule => ({
  ...rest,
  GET(request) {
    Deno.upgradeWebSocket(request);
    throw error;
  },
});

const throwAfter: Middleware = async (_, next) => {
  await next();
  throw new Error("after");
};

/** Errors after an upgrade. */
const FAULTS: Readonly<
  Record<string, {
    files: Readonly<Record<string, TestModule>>;
    options?: CommonOptions;
  }>
> = {
  "a handler throws": { files: { "route.ts": upgradeAndThrow(1) } },
  "an async handler throws": {
    files: {
      "route.ts": {
        async GET(request) {
          Deno.upgradeWebSocket(request);
          await Promise.resolve();
          throw 1;
        },
      },
    },
  },
  "a handler throws a Response": {
    files: { "route.ts": upgradeAndThrow(new Response()) },
  },
  "a handler returns nothing": {
    files: {
      "route.ts": {
        GET: async (request) => {
          await Promise.resolve(Deno.upgradeWebSocket(request));
        },
      },
    },
  },
  "a checked handler throws": {
    files: {
      "route.ts": upgradeAndThrow(1, {
        schema: { get: { query: z.object({}) } },
      }),
    },
  },
  "a folder's middleware throws": {
    files: { "route.ts": SOCKET, "middleware.ts": { default: throwAfter } },
  },
  "a folder's middleware returns another response": {
    files: {
      "route.ts": SOCKET,
      "middleware.ts": {
        async default(_, next) {
          await next();
          return new Response();
        },
      },
    },
  },
  "the application's middleware throws": {
    files: { "route.ts": SOCKET },
    options: { middleware: [throwAfter] },
  },
  "Hono's middleware throws": {
    files: { "route.ts": SOCKET },
    options: {
      middleware: [honoMiddleware(async (_, next) => {
        await next();
        throw new Error("after");
      })],
    },
  },
  "onError throws": {
    files: { "route.ts": upgradeAndThrow(1) },
    options: {
      onError: () => {
        throw 2;
      },
    },
  },
  "onError responds": {
    files: { "route.ts": upgradeAndThrow(1) },
    options: { onError: () => new Response("mine") },
  },
  "a handler throws an AbortError": {
    files: {
      "route.ts": upgradeAndThrow(new DOMException("late", "AbortError")),
    },
  },
  "onError upgrades and throws": {
    files: { "route.ts": throwing(() => 1) },
    options: {
      onError: (_, request) => {
        Deno.upgradeWebSocket(request);
        throw 2;
      },
    },
  },
  "onError upgrades and returns nothing": {
    files: { "route.ts": throwing(() => 1) },
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

for (const [fault, { files, options }] of Object.entries(FAULTS)) {
  Deno.test(`the server continues if ${fault} after an upgrade`, async () => {
    using log = new CapturedLog();
    const application = TestApplication.of({
      ...Object.fromEntries(
        Object.entries(files).map(([name, file]) => [`broken/${name}`, file]),
      ),
      "fine/route.ts": SOCKET,
      "plain/route.ts": { GET: () => new Response("plain") },
    }, options);
    await using server = await application.serve();
    for (let round = 0; round < 2; round++) {
      assertEquals(await firstMessage(server.url("/api/broken")), "closed");
    }
    // If `onError` responds, it has logged the error itself.
    const logged = {
      "onError responds": 0,
      "onError throws": 4,
      "onError upgrades and throws": 4,
      // As if the client had disconnected: an upgrade aborts the signal as well.
      "a handler throws an AbortError": 0,
    }[fault];
    assertEquals(log.lines.length, logged ?? 2, log.lines.join("\n"));
    if (options?.middleware === undefined) {
      assertEquals(await firstMessage(server.url("/api/fine")), "echo");
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
  const application = TestApplication.of({ "route.ts": SOCKET }, {
    middleware: [
      accessLog({ write: ({ status }) => void statuses.push(status) }),
    ],
  });
  await using server = await application.serve();
  for (let round = 0; round < 2; round++) {
    assertEquals(await firstMessage(server.url("/api")), "echo");
  }
  assertEquals(statuses, [101, 101]);
});

Deno.test("Bough responds to an error before an upgrade as to others", async () => {
  using _log = new CapturedLog();
  const application = TestApplication.of({
    "route.ts": throwing(() => new Error("before")),
  });
  await using server = await application.serve();
  const response = await fetch(server.url("/api"), {
    headers: { upgrade: "websocket" },
  });
  assertEquals(response.status, 500);
  await response.body?.cancel();
});

Deno.test("Bough responds with 426 to a request without an upgrade, and logs nothing (behaviour 8.6)", async () => {
  const echoLater = async (request: Request) => {
    await Promise.resolve();
    return echo(request);
  };
  for (
    const files of [
      { "route.ts": SOCKET },
      { "route.ts": { GET: echoLater } },
      { "route.ts": SOCKET, "middleware.ts": { default: (_, next) => next() } },
    ] as Record<string, TestModule>[]
  ) {
    using log = new CapturedLog();
    await using server = await TestApplication.of(files).serve();
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

Deno.test("if a handler causes the error of an upgrade, Bough responds with 500", async () => {
  using log = new CapturedLog();
  const application = TestApplication.of({
    "copied/route.ts": {
      GET: ({ url }) => void Deno.upgradeWebSocket(new Request(url)),
    },
    "forged/route.ts": throwing(() =>
      new TypeError(
        "Invalid Header: 'upgrade' header must contain 'websocket'",
      )
    ),
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

Deno.test("a handler that does not upgrade may return any value", async () => {
  const request = new Request("http://localhost/", {
    headers: { upgrade: "websocket" },
  }) as FrameworkRequest;
  for (const response of [undefined, new Response(), Response.error()]) {
    const handler = () => response as Response;
    assertEquals(await openingSocket(handler)(request), response);
  }
});
