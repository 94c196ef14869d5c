import { type LiveRoute, liveRouteOf } from "./live_route.ts";
import type { FrameworkRequest } from "../types/request.ts";
import { ensureRecord } from "../request/record.ts";
import type { MethodSchema } from "../types/schema.ts";
import { INTERNAL, isCloseCode, POLICY, SERVER_FAILED } from "./closing.ts";
import { watchEnds } from "./ends_with.ts";
import { SocketConnection } from "./socket_connection.ts";
import { SocketMessages } from "./socket_messages.ts";
import {
  checkHandshake,
  chooseProtocol,
  resolveSocketOptions,
} from "./socket_options.ts";
import type {
  LiveSocket,
  SocketHandlers,
  SocketOptions,
  SocketReceived,
  SocketSent,
} from "./socket_types.ts";

/**
 * Opens a WebSocket: the response of a handler of `GET`. The guards of its folders run
 * before it, as before any handler.
 *
 * `schema.get.socket` has the schemas of its messages: `receive` checks what the client
 * sends, and `send` describes what it is sent. With a schema, messages are JSON in text
 * frames; without one, they are texts and bytes as they are.
 *
 * @param request The request of the handler, which types the messages.
 * @param handlers What to do when the socket opens, at each message, and when it is
 * closed. They run one after another; what one throws is logged, and closes the socket
 * with 1011.
 * @param options Who may open it, and its limits.
 * @returns The response, with status 101. It must be returned as it is.
 * @throws {HttpError} 426 for a request that opens no WebSocket, 403 for one of a page
 * of another origin, 503 while the server stops.
 * @throws {TypeError} If an option or a handler is unknown, or its value invalid.
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
      "Cannot open the socket: pass the request that the handler got, not a copy of it",
    );
  }
  const resolved = resolveSocketOptions(handlers, options);
  checkHandshake(request, route, resolved);
  const protocol = chooseProtocol(request, resolved.protocols);
  const messages = messagesOf(route);
  const headers = new Headers(request.headers);
  const { socket, response } = Deno.upgradeWebSocket(request, {
    // In seconds.
    idleTimeout: resolved.idleTimeout / 1000,
  });
  // From here on, nothing may be thrown: any response but this one ends Deno's server.
  // Deno closes the request, so that handlers could no longer read its own.
  Object.defineProperty(request, "headers", { value: headers });
  if (protocol !== "") {
    response.headers.set("sec-websocket-protocol", protocol);
  }
  const connection = new SocketConnection(
    socket,
    {
      request,
      handlers: handlers as SocketHandlers<unknown, unknown>,
      messages,
      options: resolved,
      route,
    },
    (connection) => new ServerSocket(connection, protocol),
  );
  const record = ensureRecord(request);
  record.onBrokenUpgrade = () => connection.refuse(INTERNAL, SERVER_FAILED);
  listen(socket, connection, () => record.onBrokenUpgrade = undefined);
  connection.onEnd = watchEnds(
    request,
    (_reason, closeReason) => connection.refuse(POLICY, closeReason),
  );
  return response;
}

/** The messages of each route, which all its requests share. */
const shared = new WeakMap<LiveRoute, SocketMessages>();

function messagesOf(route: LiveRoute): SocketMessages {
  let messages = shared.get(route);
  if (messages === undefined) {
    shared.set(route, messages = new SocketMessages(route));
  }
  return messages;
}

/**
 * Lets a connection hear of its socket. At the end it lets go of everything: the timer
 * of `idleTimeout` keeps the socket and its request until it fires, though it is closed.
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
    // After an upgrade that failed, nothing else is said.
    if (socket.readyState === WebSocket.CONNECTING) connection.ended(0, fault);
  };
  socket.onclose = ({ code, reason, wasClean }) => {
    socket.onopen =
      socket.onmessage =
      socket.onerror =
      socket.onclose =
        null;
    // Only a close frame is clean: not a connection that broke, nor a missing pong.
    if (wasClean) connection.closedByClient(code, reason);
    else connection.ended(code, reason || fault);
  };
}

/** What handlers get of a connection. */
class ServerSocket implements LiveSocket<unknown> {
  readonly protocol: string;
  readonly #connection: SocketConnection;

  constructor(connection: SocketConnection, protocol: string) {
    this.#connection = connection;
    this.protocol = protocol;
  }

  get bufferedAmount(): number {
    return this.#connection.outbox.bufferedAmount;
  }

  get signal(): AbortSignal {
    return this.#connection.signal;
  }

  send(value: unknown): boolean {
    return this.#connection.isOpen && this.#connection.outbox.send(value);
  }

  close(code = 1000, reason = ""): void {
    if (!isCloseCode(code)) {
      throw new RangeError(
        `Cannot close the socket with code "${code}": use 1000, or one from 3000 to 4999`,
      );
    }
    this.#connection.refuse(code, String(reason));
  }
}
