import type { SchemaOutput, Sendable } from "../types/responses.ts";

/** What a message is without a schema: the text, or the bytes of a binary one. */
export type RawMessage = string | Uint8Array<ArrayBuffer>;

/** What may be sent without a schema: a text, or bytes as a binary message. */
export type RawData = string | ArrayBuffer | ArrayBufferView<ArrayBuffer>;

/**
 * What the messages of the client are, by the schemas of the method: the output of
 * `socket.receive`, or texts and bytes where it has none.
 *
 * @typeParam Schema The schemas of the method, such as `typeof schema.get`.
 */
export type SocketReceived<Schema> = Schema extends
  { readonly socket: { readonly receive: infer Receive } }
  ? Receive extends undefined ? RawMessage : SchemaOutput<Receive>
  : RawMessage;

/**
 * What may be sent to the client, by the schemas of the method: values whose JSON fits
 * `socket.send`, or texts and bytes where it has none.
 *
 * @typeParam Schema The schemas of the method, such as `typeof schema.get`.
 */
export type SocketSent<Schema> = Schema extends
  { readonly socket: { readonly send: infer Send } }
  ? Send extends undefined ? RawData : Sendable<SchemaOutput<Send>>
  : RawData;

/**
 * The server's end of a socket. It may be kept, say in a set, to send to many.
 *
 * @typeParam Sent What may be sent, such as `SocketSent<typeof schema.get>`.
 */
export interface LiveSocket<Sent = RawData> {
  /**
   * Sends a message: the JSON of a value where the method has a schema of `send`, and
   * else a text, or bytes as a binary message.
   *
   * @param value The value.
   * @returns Whether the message was taken. It is `false` once the socket is closing,
   * also where this very message closes it: because the client is too slow (see
   * `maxBuffered`), or because the value does not fit its schema and
   * `validateResponses` is on.
   * @throws {TypeError} If the value has no JSON form, such as `undefined`.
   */
  send(value: Sent): boolean;
  /**
   * Closes the socket. Messages that wait are dropped.
   *
   * @param code 1000 by default; 3000 to 4999 are the application's own.
   * @param reason Why, for the client: cut to 123 bytes of UTF-8.
   * @throws {RangeError} If the code may not be sent (RFC 6455, 7.4).
   */
  close(code?: number, reason?: string): void;
  /** How many bytes were taken by `send`, and have not left this process. */
  readonly bufferedAmount: number;
  /** The subprotocol of the option `protocols` that was agreed on; `""` for none. */
  readonly protocol: string;
  /** Aborts as soon as nothing more can be sent, also while a handler runs. */
  readonly signal: AbortSignal;
}

/**
 * What a socket does. Each handler may return a promise; only one runs at a time.
 *
 * @typeParam Received What the client sends, such as `SocketReceived<typeof schema.get>`.
 * @typeParam Sent What it is sent, such as `SocketSent<typeof schema.get>`.
 */
export interface SocketHandlers<Received = RawMessage, Sent = RawData> {
  /** Runs when the socket is open; messages wait until it is done. */
  readonly open?: (socket: LiveSocket<Sent>) => unknown;
  /** Runs for each message, one after another. */
  readonly message?: (data: Received, socket: LiveSocket<Sent>) => unknown;
  /**
   * Runs exactly once, when the socket is closed and no other handler runs any more,
   * whatever happened before.
   *
   * The code is that of whoever closed first, the client or the server: 1005 for a
   * client that sent none, 1006 for a connection that broke. The socket is the one that
   * `open` had, to take it out of a set, say.
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
   * The origins whose pages may open the socket, beside the application's own and its
   * `trustedOrigins`: `["https://app.example.com"]`; `"*"` lets every page.
   *
   * @default {[]}
   */
  readonly origins?: readonly string[] | "*";
  /**
   * The subprotocols that are spoken here. The first one that the client offers is
   * chosen; without one, a browser fails the connection.
   *
   * @default {[]}
   */
  readonly protocols?: readonly string[];
  /**
   * The size of the largest message of the client, in bytes. A larger one closes the
   * socket with 1009.
   *
   * @default {65_536}
   */
  readonly maxMessage?: number;
  /**
   * How many messages may wait while a handler runs. One more closes the socket with
   * 1008.
   *
   * @default {1_000}
   */
  readonly maxQueued?: number;
  /**
   * How many bytes may wait while a handler runs; a text counts its
   * characters. More close the socket with 1008.
   *
   * @default {1_048_576}
   */
  readonly maxQueuedBytes?: number;
  /**
   * How many bytes may wait to be sent. A message beyond them is not sent, and closes
   * the socket with 1013: its client reads too slowly.
   *
   * @default {1_048_576}
   */
  readonly maxBuffered?: number;
  /**
   * How long, in milliseconds, the client may be silent. After half of it, it is sent
   * a ping; without a sign of life in the other half, it is closed with 1001. 0 is for
   * ever.
   *
   * @default {30_000}
   */
  readonly idleTimeout?: number;
}
