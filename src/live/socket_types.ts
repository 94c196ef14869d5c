import type { SchemaOutput, Sendable } from "../core/types/responses.ts";

/** A received message without a schema: a string, or the bytes of a binary message. */
export type RawMessage = string | Uint8Array<ArrayBuffer>;

/** A sent message without a schema: a string, or the bytes of a binary message. */
export type RawData = string | ArrayBuffer | ArrayBufferView<ArrayBuffer>;

/**
 * The messages of the client: the output of the schema `socket.receive`, or strings and
 * bytes if the method has no such schema.
 *
 * @typeParam Schema The schemas of the method, such as `typeof schema.get`.
 */
export type SocketReceived<Schema> = Schema extends
  { readonly socket: { readonly receive: infer Receive } }
  ? Receive extends undefined ? RawMessage : SchemaOutput<Receive>
  : RawMessage;

/**
 * The messages to the client: values whose JSON fits the schema `socket.send`, or strings
 * and bytes if the method has no such schema.
 *
 * @typeParam Schema The schemas of the method, such as `typeof schema.get`.
 */
export type SocketSent<Schema> = Schema extends
  { readonly socket: { readonly send: infer Send } }
  ? Send extends undefined ? RawData : Sendable<SchemaOutput<Send>>
  : RawData;

/**
 * The server's end of a socket. To send to many clients, keep their sockets, for
 * example in a set.
 *
 * @typeParam Sent The messages to the client, such as `SocketSent<typeof schema.get>`.
 */
export interface LiveSocket<Sent = RawData> {
  /**
   * Sends a message: the JSON of a value if the method has a schema `socket.send`.
   * Without a schema, sends a string, or bytes as a binary message.
   *
   * @param value The value to send.
   * @returns Whether the message was accepted: `false` if the socket is closing. The
   * message itself causes the socket to close if the client is too slow (see
   * `maxBuffered`), or if `validateResponses` is on and the value violates its schema.
   * @throws {TypeError} If JSON cannot represent the value, such as `undefined`.
   */
  send(value: Sent): boolean;
  /**
   * Closes the socket, and drops queued messages.
   *
   * @param code The code, 1000 by default; applications define the codes from 3000 to
   * 4999.
   * @param reason The reason for the client, cut to 123 bytes of UTF-8.
   * @throws {RangeError} If the code must not be sent (RFC 6455, 7.4).
   */
  close(code?: number, reason?: string): void;
  /** The number of bytes that `send` accepted, but this process has not sent yet. */
  readonly bufferedAmount: number;
  /**
   * The subprotocol that the client and the server agreed on; `""` if there is none.
   */
  readonly protocol: string;
  /** Aborts when the socket begins to close, even while a handler runs. */
  readonly signal: AbortSignal;
}

/**
 * The handlers of a socket, which run one at a time. Each handler may return a promise.
 *
 * @typeParam Received The messages of the client, such as
 * `SocketReceived<typeof schema.get>`.
 * @typeParam Sent The messages to the client, such as `SocketSent<typeof schema.get>`.
 */
export interface SocketHandlers<Received = RawMessage, Sent = RawData> {
  /** Runs when the socket is open; messages are queued until this handler ends. */
  readonly open?: (socket: LiveSocket<Sent>) => unknown;
  /** Runs for each message, one after another. */
  readonly message?: (data: Received, socket: LiveSocket<Sent>) => unknown;
  /**
   * Runs exactly once, even after errors, when the socket is closed and the other
   * handlers have ended.
   *
   * The side that closed first determines the code. The code is 1005 if the client did
   * not send a code, and 1006 if the connection broke. The socket is the object that
   * `open` received, so `close` can remove the socket from a set.
   */
  readonly close?: (
    code: number,
    reason: string,
    socket: LiveSocket<Sent>,
  ) => unknown;
}

/** Options of {@linkcode socket}. */
export interface SocketOptions {
  /**
   * The origins whose pages may open the socket, such as `["https://app.example.com"]`;
   * `"*"` allows every page. Pages of the application's own origin and of its
   * `trustedOrigins` may always open the socket.
   *
   * @default {[]}
   */
  readonly origins?: readonly string[] | "*";
  /**
   * The subprotocols that the server supports. The server chooses the first supported
   * subprotocol that the client offers. If there is no such subprotocol, browsers close
   * the connection.
   *
   * @default {[]}
   */
  readonly protocols?: readonly string[];
  /**
   * The size limit of a message of the client, in bytes. If a message is larger, the
   * server closes the socket with 1009.
   *
   * @default {65_536}
   */
  readonly maxMessage?: number;
  /**
   * The number of messages that may be queued while a handler runs. If another message
   * arrives, the server closes the socket with 1008.
   *
   * @default {1_000}
   */
  readonly maxQueued?: number;
  /**
   * The number of bytes that may be queued while a handler runs; for a string, the
   * limit counts characters. If a message exceeds the limit, the server closes the
   * socket with 1008.
   *
   * @default {1_048_576}
   */
  readonly maxQueuedBytes?: number;
  /**
   * The number of bytes that may be buffered for a slow client. If a message exceeds
   * the limit, the server drops the message and closes the socket with 1013.
   *
   * @default {1_048_576}
   */
  readonly maxBuffered?: number;
  /**
   * The time, in milliseconds, that the client may be silent. After half of this time,
   * the server sends a ping. If the client does not respond in the other half, the
   * server closes the socket with 1001. 0 removes the limit.
   *
   * @default {30_000}
   */
  readonly idleTimeout?: number;
}
