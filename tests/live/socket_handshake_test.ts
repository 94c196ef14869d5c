/** Who may open a socket, and how (behaviour 11.3). */
import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { type FrameworkRequest, HttpError } from "@bough/framework";
import {
  type LiveSocket,
  socket as openSocket,
  type SocketHandlers,
  type SocketOptions,
} from "@bough/framework/live";
import type { CommonOptions } from "@bough/framework/types";
import {
  CapturedLog,
  TestApplication,
  type TestModule,
} from "../support/application.ts";
import { exchange, rawRequest } from "../support/raw_http.ts";
import { frame, handshake, OPCODE, RawSocket } from "../support/raw_socket.ts";
import { socketRoute } from "./support.ts";

/** A route whose socket sends its protocol, with these options. */
function route(options?: unknown): TestModule {
  const open = (socket: LiveSocket) => void socket.send(socket.protocol);
  return socketRoute({ open }, undefined, options as SocketOptions);
}

const ROUTES = {
  "plain/route.ts": route(),
  "listed/route.ts": route({ origins: ["https://app.example.com"] }),
  "open/route.ts": route({ origins: "*" }),
  "spoken/route.ts": route({ protocols: ["chat.v2", "chat.v1"] }),
  "guarded/route.ts": route(),
  "guarded/middleware.ts": {
    default: (request, next) => {
      if (!request.headers.has("authorization")) throw new HttpError(401);
      return next();
    },
  },
} satisfies Record<string, TestModule>;

/** The status of a handshake; `fetch` would omit `Origin` and more. */
async function statusOf(
  port: number,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<number> {
  const bytes = new TextEncoder().encode(handshake(path, headers));
  // A response without an upgrade is complete at its `Content-Length`.
  const { status } = await exchange(port, [bytes, new Uint8Array()]);
  return status;
}

async function withServer(
  run: (port: number) => Promise<void>,
  options?: CommonOptions,
): Promise<void> {
  using log = new CapturedLog();
  await using server = await TestApplication.of(ROUTES, options).serve();
  await run(server.port);
  assertEquals(log.lines, []);
}

/** Whether a page may open the socket, by the headers that its browser sends. */
async function opens(
  port: number,
  path: string,
  headers: Readonly<Record<string, string>>,
): Promise<boolean> {
  try {
    using _socket = await RawSocket.open(port, path, headers);
    return true;
  } catch (error) {
    const refused = String(error).includes("HTTP/1.1 403 ");
    if (!refused) throw error;
    return false;
  }
}

const SAME = "http://api.example.com:8000";

/** By path: the headers of a handshake, and whether it may open the socket. */
const ORIGINS: Readonly<
  Record<string, readonly (readonly [Record<string, string>, boolean])[]>
> = {
  plain: [
    [{}, true],
    [{ origin: SAME }, true],
    // A proxy may have received the request over HTTPS.
    [{ origin: "https://api.example.com:8000" }, true],
    [{ origin: "http://api.example.com" }, false],
    [{ origin: "https://evil.example" }, false],
    [{ origin: "https://api.example.com.evil.example:8000" }, false],
    [{ origin: "null" }, false],
    [{ origin: "*" }, false],
    [{ origin: "https://front.example", ...fetchedBy("same-origin") }, true],
    [{ origin: SAME, ...fetchedBy("cross-site") }, false],
    [{ origin: "https://a.api.example.com", ...fetchedBy("same-site") }, false],
    [{ origin: "https://trusted.example" }, true],
    [{ origin: "https://app.example.com" }, false],
  ],
  listed: [
    [{ origin: "https://app.example.com" }, true],
    [{ origin: "https://app.example.com:8443" }, false],
    [{ origin: "https://evil.example" }, false],
    [{ origin: SAME }, true],
    [{ origin: "https://trusted.example" }, true],
  ],
  open: [
    [{ origin: "https://evil.example" }, true],
    [{ origin: "null" }, true],
  ],
};

function fetchedBy(site: string) {
  return { "sec-fetch-site": site };
}

Deno.test("a page of another origin cannot open a socket, unless the origin is listed", () =>
  withServer(async (port) => {
    for (const [path, rows] of Object.entries(ORIGINS)) {
      for (const [origin, expected] of rows) {
        const headers = { host: "api.example.com:8000", ...origin };
        assertEquals(
          await opens(port, `/api/${path}`, headers),
          expected,
          `${path} ${JSON.stringify(origin)}`,
        );
      }
    }
  }, { trustedOrigins: ["https://trusted.example"] }));

Deno.test("a handshake must be one of RFC 6455", () =>
  withServer(async (port) => {
    for (
      const [name, ...values] of [
        ["upgrade", "", "h2c", "websocketx"],
        ["connection", "keep-alive"],
        ["sec-websocket-version", "", "8"],
        ["sec-websocket-key", "", "short", "dGhlIHNhbXBsZSBub25jZR=="],
      ] as const
    ) {
      for (const value of values) {
        assertEquals(
          await statusOf(port, "/api/plain", { [name]: value }),
          name === "sec-websocket-key" ? 400 : 426,
          `${name}: ${value}`,
        );
      }
    }
    using _socket = await RawSocket.open(port, "/api/plain", {
      connection: "keep-alive, UPGRADE",
      upgrade: "WebSocket",
    });
  }));

Deno.test("the response to a request without a handshake describes the handshake", () =>
  withServer(async (port) => {
    const upgrade = ["Upgrade: websocket", "Connection: Upgrade"];
    const valid = ["Version: 13", "Key: dGhlIHNhbXBsZSBub25jZQ=="]
      .map((each) => `Sec-WebSocket-${each}`);
    for (
      const [method, lines, status, expected] of [
        ["GET", [], 426, {
          upgrade: "websocket",
          "content-type": "application/problem+json",
        }],
        ["GET", [...upgrade, "Sec-WebSocket-Version: 8"], 426, {
          "sec-websocket-version": "13",
        }],
        ["HEAD", [], 426, {}],
        ["HEAD", [...upgrade, ...valid], 426, {}],
        ["OPTIONS", [], 204, { allow: "GET, HEAD, OPTIONS" }],
        ["POST", ["Content-Length: 0"], 405, {}],
      ] as const
    ) {
      const request = [`${method} /api/plain HTTP/1.1`, ...lines].join("\n");
      const response = await rawRequest(port, request);
      assertEquals(response.status, status, request);
      const { headers } = response;
      const names = Object.keys(expected);
      const got = names.map((name) => [name, headers.get(name)]);
      assertEquals(Object.fromEntries(got), expected, request);
      if (method === "HEAD") assertEquals(response.body, "");
    }
  }));

Deno.test("the guards of a folder run before its socket opens", () =>
  withServer(async (port) => {
    const error = await assertRejects(() =>
      RawSocket.open(port, "/api/guarded")
    );
    assertEquals(String(error).includes("HTTP/1.1 401 "), true);
    using socket = await RawSocket.open(port, "/api/guarded", {
      authorization: "Bearer x",
    });
    assertEquals(await socket.spell(), "text ");
  }));

Deno.test("the server chooses the first offered subprotocol that it knows", () =>
  withServer(async (port) => {
    for (
      const [offered, chosen] of [
        ["", ""],
        ["chat.v1", "chat.v1"],
        ["chat.v1, chat.v2", "chat.v1"],
        ["other,chat.v2", "chat.v2"],
        ["other", ""],
        ["CHAT.V1", ""],
      ] as const
    ) {
      using socket = await RawSocket.open(port, "/api/spoken", {
        "sec-websocket-protocol": offered,
      });
      assertEquals(await socket.spell(), `text ${chosen}`, offered);
    }
    const native = new WebSocket(`ws://127.0.0.1:${port}/api/spoken`, [
      "other",
      "chat.v1",
    ]);
    await new Promise((resolve) => native.onmessage = resolve);
    assertEquals(native.protocol, "chat.v1");
    await new Promise((resolve) => {
      native.onclose = resolve;
      native.close();
    });
  }));

Deno.test("Bough responds with 500 before the upgrade to a copied request or wrong options", async () => {
  using log = new CapturedLog();
  await using server = await TestApplication.of({
    "copy/route.ts": {
      GET: (request) => openSocket(request.clone() as FrameworkRequest, {}),
    },
    "origin/route.ts": route({ origins: ["app.example.com"] }),
    "handler/route.ts": socketRoute({ onMessage() {} } as SocketHandlers),
  }).serve();
  for (
    const [path, message] of [
      ["copy", "the request is a copy; pass the request of the handler"],
      ["origin", 'Cannot trust origin "app.example.com"'],
      ["handler", '"onMessage" is unknown'],
    ] as const
  ) {
    const origin = path === "origin" ? { origin: "https://a.example" } : {};
    assertEquals(await statusOf(server.port, `/api/${path}`, origin), 500);
    const logged = log.lines.some((line) => line.includes(message));
    assertEquals(logged, true, log.lines.join("\n"));
  }
});

Deno.test("a middleware that replaces the response after an upgrade closes the socket", async () => {
  using _log = new CapturedLog();
  const ran: string[] = [];
  await using server = await TestApplication.of({
    "route.ts": socketRoute({
      open: () => void ran.push("open"),
      message: () => void ran.push("message"),
    }),
    "middleware.ts": {
      default: async (_, next) => {
        await next();
        return new Response("No", { status: 403 });
      },
    },
  }).serve();
  // These clients ignore that headers are missing.
  using silent = await RawSocket.open(server.port, "/api");
  assertEquals(await silent.spell(), "close 1011 The server failed");
  using talking = await RawSocket.open(server.port, "/api");
  await talking.write(frame(OPCODE.text, "hello"));
  // If the message arrives after the close, Deno cuts the connection.
  assertMatch(await talking.spell(), /^(?:close 1011 The server failed|cut)$/);
  assertEquals(ran, []);
});
