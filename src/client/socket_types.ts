import type { JsonOf, SchemaInput, SchemaOutput } from "../types/responses.ts";
import type { RouteModule, RoutePath } from "../types/route_map.ts";
import type {
  CallSchema,
  OwnSchema,
  ParamsOption,
  PathInput,
  QueryOption,
} from "./call_types.ts";

/**
 * The paths of the routes that declare a socket.
 *
 * @typeParam Routes The map of the routes.
 */
export type SocketPaths<Routes> = {
  [
    Path in RoutePath<Routes> as RouteModule<Routes, Path> extends
      { readonly schema: { readonly get: { readonly socket: object } } } ? Path
      : never
  ]: Path;
};

/**
 * The options of a socket. A browser sends no headers with it.
 *
 * @typeParam Routes The map of the routes.
 * @typeParam Path The URL path, such as `"/chat/[room]"`.
 */
export type SocketOptionsOf<Routes, Path extends RoutePath<Routes>> =
  & ParamsOption<PathInput<Path, CallSchema<Routes, Path, "GET">>>
  & QueryOption<CallSchema<Routes, Path, "GET">, OwnSchema<Routes, Path, "GET">>
  & RawOption<"sends", "receive", SocketOf<Routes, Path>>
  & RawOption<"receives", "send", SocketOf<Routes, Path>>
  & SocketCallOptions;

/** The options that every socket has. */
export interface SocketCallOptions {
  /** The subprotocols that this client speaks, the best first. */
  readonly protocols?: readonly string[];
  /**
   * How many messages may wait to be read. One more closes the socket with 4008, and
   * the loop throws after those that wait.
   *
   * @default {1_000}
   */
  readonly maxQueued?: number;
}

/**
 * What a method declares of its socket.
 *
 * @typeParam Routes The map of the routes.
 * @typeParam Path The URL path, such as `"/chat/[room]"`.
 */
export type SocketOf<Routes, Path extends RoutePath<Routes>> =
  OwnSchema<Routes, Path, "GET"> extends { readonly socket: infer Socket }
    ? Socket
    : never;

/**
 * The option that a direction without a schema needs: there are no schemas at run
 * time, and a text is written in JSON otherwise.
 *
 * @typeParam Name The name of the option.
 * @typeParam Direction What the server calls the direction.
 * @typeParam Socket What the method declares of its socket.
 */
export type RawOption<
  Name extends string,
  Direction extends string,
  Socket,
> = Direction extends keyof Socket ? { readonly [Key in Name]?: "json" }
  : { readonly [Key in Name]: "raw" };

/**
 * What a client may send: what the schema of `receive` takes, or texts and bytes.
 *
 * @typeParam Socket What the method declares of its socket.
 */
export type ClientSent<Socket> = Socket extends
  { readonly receive: infer Receive } ? SchemaInput<Receive>
  : string | ArrayBuffer | ArrayBufferView<ArrayBuffer>;

/**
 * What a client gets: the JSON of what the schema of `send` describes, or texts and
 * bytes.
 *
 * @typeParam Socket What the method declares of its socket.
 */
export type ClientReceived<Socket> = Socket extends
  { readonly send: infer Send } ? JsonOf<SchemaOutput<Send>>
  : string | Uint8Array<ArrayBuffer>;

/** How a socket was closed. */
export interface SocketClosing {
  /**
   * The code of whoever closed it first (RFC 6455, 7.4): 1005 if that sent none, and
   * 1006 if the connection broke, or never came about.
   */
  readonly code: number;
  /** The reason that came with it; `""` for none. */
  readonly reason: string;
}

/**
 * The client's end of a socket: a loop reads its messages. It is not opened again when
 * it closes, since messages would be lost meanwhile.
 *
 * @typeParam Sent What may be sent.
 * @typeParam Received What is received.
 */
export interface ClientSocket<Sent, Received>
  extends AsyncIterableIterator<Received, undefined, unknown> {
  /**
   * Resolves with the subprotocol that the server chose, `""` for none, when the socket
   * is open. It rejects if that fails; browsers do not say why.
   */
  readonly opened: Promise<string>;
  /** Resolves when the socket is closed, whatever happened before. */
  readonly closed: Promise<SocketClosing>;
  /** How many bytes were sent since the socket is open, and have not left. */
  readonly bufferedAmount: number;
  /**
   * Sends a message. Those before the socket is open wait until it is.
   *
   * @param value The value.
   * @returns Whether it was taken: not by a socket that is closing or closed.
   * @throws {TypeError} If the value has no JSON form, such as `undefined`.
   */
  send(value: Sent): boolean;
  /**
   * Closes the socket. What has come by then can still be read.
   *
   * @param code 1000 by default; 3000 to 4999 are the application's own.
   * @param reason Why, for the server: at most 123 bytes of UTF-8.
   * @throws {DOMException} If the code may not be sent, or the reason is too long.
   */
  close(code?: number, reason?: string): void;
  /** Closes the socket, also while a message is awaited. `break` does the same. */
  return(): Promise<IteratorResult<Received, undefined>>;
  /** The same object. */
  [Symbol.asyncIterator](): ClientSocket<Sent, Received>;
}

/**
 * What a call of `socket` returns.
 *
 * @typeParam Routes The map of the routes.
 * @typeParam Path The URL path, such as `"/chat/[room]"`.
 */
export type ClientSocketOf<Routes, Path extends RoutePath<Routes>> =
  ClientSocket<
    ClientSent<SocketOf<Routes, Path>>,
    ClientReceived<SocketOf<Routes, Path>>
  >;
