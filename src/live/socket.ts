import { LONGEST_DELAY } from "../core/common/deadline.ts";
import {
  anyOf,
  checkOptions,
  type Form,
  FUNCTION,
  listOf,
  matching,
  type Members,
  oneOf,
  STRINGS,
} from "../core/common/forms.ts";
import { InvalidRequest } from "../core/errors.ts";
import { ownError } from "../core/own_errors.ts";
import { createOriginCheck } from "../core/request/origins.ts";
import { ensureRecord } from "../core/request/record.ts";
import { listsToken } from "../core/operation/upgrade.ts";
import type { FrameworkRequest } from "../core/types/request.ts";
import type { MethodSchema } from "../core/types/schema.ts";
import { POLICY } from "./closing.ts";
import { watchExpiries } from "./end_on.ts";
import { type LiveRoute, liveRouteOf } from "./live_route.ts";
import { SocketConnection } from "./socket_connection.ts";
import type {
  SocketHandlers,
  SocketOptions,
  SocketReceived,
  SocketSent,
} from "./socket_types.ts";
import { showSocket } from "./watched_socket.ts";

/**
 * Creates the response of a `GET` handler that opens a WebSocket. The guards of the
 * folders run first, as for any handler.
 *
 * `schema.get.socket` contains the schemas of the messages: `receive` validates
 * messages of the client, and `send` describes messages of the server. Messages with a
 * schema are JSON in text frames; messages without a schema are strings and bytes.
 *
 * @param request The request of the handler, which types the messages.
 * @param handlers The functions to run when the socket opens, at each message, and when
 * the socket is closed. The functions run one after another. If a function throws,
 * Bough logs the error and closes the socket with 1011.
 * @param options The origins that may open the socket, and the limits of the socket.
 * @returns The response, with status 101. The handler must return this object, not a
 * copy.
 * @throws {HttpError} 426 if the request is not a WebSocket handshake, 403 if a page of
 * an untrusted origin sent the request, or 503 while the server is stopping.
 * @throws {TypeError} If an option or a handler is unknown, or its value is invalid.
 *
 * @example A chat, `api/chat/route.ts`
 * ```ts
 * import type { FrameworkRequest } from "@bough/framework";
 * import { type LiveSocket, socket, type SocketSent } from "@bough/framework/live";
 * import { z } from "zod";
 *
 * const Message = z.object({ text: z.string().min(1) });
 * export const schema = {
 *   get: { socket: { receive: Message, send: Message } },
 * };
 *
 * const members = new Set<LiveSocket<SocketSent<typeof schema.get>>>();
 *
 * export function GET(request: FrameworkRequest<typeof schema.get>): Response {
 *   return socket(request, {
 *     open: (socket) => members.add(socket),
 *     message({ text }) {
 *       for (const member of members) member.send({ text });
 *     },
 *     close: (_code, _reason, socket) => members.delete(socket),
 *   });
 * }
 * ```
 */
export function socket<
  Schema extends MethodSchema | string,
  Path extends string,
>(
  request: FrameworkRequest<Schema, Path>,
  handlers: SocketHandlers<SocketReceived<Schema>, SocketSent<Schema>>,
  options: SocketOptions = {},
): Response {
  const route = liveRouteOf(request);
  if (route === undefined) {
    throw new TypeError(
      "Cannot open the socket: the request is a copy; pass the request of the handler",
    );
  }
  const resolved = resolveSocketOptions(handlers, options);
  checkHandshake(request, route, resolved);
  const protocol = chooseProtocol(request, resolved.protocols);
  const headers = new Headers(request.headers);
  const { socket, response } = Deno.upgradeWebSocket(request, {
    // Deno expects seconds.
    idleTimeout: resolved.idleTimeout / 1000,
  });
  // The code below must not throw, since any other response would end Deno's server.
  // Deno closes the request, so handlers read a copy of its headers.
  Object.defineProperty(request, "headers", { value: headers });
  if (protocol !== "") {
    response.headers.set("sec-websocket-protocol", protocol);
  }
  const connection = new SocketConnection(socket, {
    request,
    route,
    handlers: handlers as SocketHandlers<unknown, unknown>,
    options: resolved,
    protocol,
  });
  showSocket(socket, connection);
  const record = ensureRecord(request);
  record.onBrokenUpgrade = () => connection.fail();
  listen(socket, connection, () => record.onBrokenUpgrade = undefined);
  connection.onEnd = watchExpiries(
    request,
    (_reason, closeReason) => connection.refuse(POLICY, closeReason),
  );
  return response;
}

/**
 * Connects a socket to its connection. Removes all listeners when the connection ends,
 * because the timer of `idleTimeout` keeps a closed socket in memory until the timer
 * fires.
 */
function listen(
  socket: WebSocket,
  connection: SocketConnection,
  onOpen: () => void,
): void {
  let fault = "";
  socket.binaryType = "arraybuffer";
  socket.onopen = () => {
    onOpen();
    connection.opened();
  };
  socket.onmessage = ({ data }) => connection.received(data);
  socket.onerror = (event) => {
    fault = (event as ErrorEvent).message;
    // After a failed upgrade, no other event follows.
    if (socket.readyState === WebSocket.CONNECTING) connection.ended(0, fault);
  };
  socket.onclose = ({ code, reason, wasClean }) => {
    socket.onopen =
      socket.onmessage =
      socket.onerror =
      socket.onclose =
        null;
    // `wasClean` is true only after a close frame. After a broken connection or a
    // missing pong, `wasClean` is false.
    if (wasClean) connection.closedByClient(code, reason);
    else connection.ended(code, reason || fault);
  };
}

const DEFAULTS: Required<SocketOptions> = {
  origins: [],
  protocols: [],
  maxMessage: 64 * 1024,
  maxQueued: 1_000,
  maxQueuedBytes: 1024 * 1024,
  maxBuffered: 1024 * 1024,
  idleTimeout: 30_000,
};

/** A limit, which `Infinity` disables. */
const LIMIT: Form = {
  accepts: (value) => typeof value === "number" && value >= 0,
  expected: "must be a number, 0 or more",
};

/** A token of a header (RFC 9110, 5.6.2). */
const TOKEN = /^[\w!#$%&'*+.^`|~-]+$/;

const OPTIONS: Members<keyof SocketOptions> = {
  origins: anyOf('must be an array of origins, or "*"', oneOf("*"), STRINGS),
  protocols: listOf(
    matching(TOKEN, "must be a name without spaces"),
    "must be an array of names without spaces",
  ),
  maxMessage: LIMIT,
  maxQueued: LIMIT,
  maxQueuedBytes: LIMIT,
  maxBuffered: LIMIT,
  idleTimeout: {
    accepts: (value) => LIMIT.accepts(value) && value !== Infinity,
    expected: "must be a number of milliseconds, or 0 for no limit",
  },
};

const HANDLERS: Members<keyof SocketHandlers> = {
  open: FUNCTION,
  message: FUNCTION,
  close: FUNCTION,
};

/**
 * Checks the arguments of `socket()` and fills in the defaults. Call this function
 * before the upgrade, since an error after the upgrade would end Deno's server.
 *
 * @throws {TypeError} If an option or a handler is unknown, or its value is invalid.
 */
export function resolveSocketOptions(
  handlers: object,
  options: SocketOptions,
): Required<SocketOptions> {
  checkOptions("open the socket", handlers, HANDLERS);
  checkOptions("open the socket", options, OPTIONS);
  const given = Object.entries(options).filter(([, value]) =>
    value !== undefined
  );
  const resolved = { ...DEFAULTS, ...Object.fromEntries(given) };
  resolved.idleTimeout = Math.min(resolved.idleTimeout, LONGEST_DELAY);
  return resolved;
}

/** Sixteen bytes in Base64 (RFC 6455, 4.1). */
const KEY = /^[A-Za-z0-9+/]{21}[AQgw]==$/;

/**
 * Checks a handshake before the upgrade.
 *
 * Deno checks three headers, but ignores the method and the version (RFC 6455, 4.2.1).
 *
 * @throws {HttpError} 426, 400, 403 or 503.
 */
function checkHandshake(
  request: Request,
  { application, connections }: LiveRoute,
  { origins }: Pick<Required<SocketOptions>, "origins">,
): void {
  const { headers, method } = request;
  if (
    method !== "GET" || !listsToken(headers.get("upgrade"), "websocket") ||
    !listsToken(headers.get("connection"), "upgrade")
  ) {
    throw ownError("UpgradeRequired");
  }
  if (headers.get("sec-websocket-version") !== "13") {
    const detail = 'The header "sec-websocket-version" must be 13';
    const headers = { "sec-websocket-version": "13" };
    throw ownError("UpgradeRequired", detail, { headers });
  }
  if (!KEY.test(headers.get("sec-websocket-key") ?? "")) {
    throw new InvalidRequest(
      'The header "sec-websocket-key" must be sixteen bytes in Base64',
    );
  }
  if (
    origins !== "*" && !application.isTrusted(request) &&
    !createOriginCheck(origins)(request)
  ) {
    throw ownError("UntrustedPage");
  }
  if (connections.closing) throw ownError("Stopping");
}

/**
 * Returns the first subprotocol that the client offers and the server supports; `""` if
 * there is none. Deno itself would split the offer only at `", "`.
 */
function chooseProtocol(
  { headers }: Request,
  protocols: readonly string[],
): string {
  const offered = headers.get("sec-websocket-protocol")?.split(",") ?? [];
  return offered.map((name) => name.trim())
    .find((name) => protocols.includes(name)) ?? "";
}
