import type { Method } from "../core/methods.ts";
import type {
  JsonOf,
  SchemaInput,
  SchemaOutput,
} from "../core/types/responses.ts";
import type {
  RouteErrors,
  RouteModule,
  RoutePath,
} from "../core/types/route_map.ts";
import type {
  CallOptions,
  CallSchema,
  OwnSchema,
  ParamsOption,
  PathInput,
  QueryOption,
} from "./call_types.ts";
import type {
  CallResult,
  KnownStatus,
  UndeclaredResult,
} from "./result_types.ts";
import type { Reading } from "./read_response.ts";

/**
 * The methods of a route that declare events.
 *
 * @typeParam Module The exports of the route file.
 */
export type EventsMethod<Module> = Module extends
  { readonly schema: infer Schemas } ? {
    [Key in keyof Schemas & Lowercase<Method>]: Schemas[Key] extends
      { readonly events: object } ? Uppercase<Key> : never;
  }[keyof Schemas & Lowercase<Method>]
  : never;

/**
 * The methods of a path that declare events.
 *
 * @typeParam Routes The map of the routes.
 * @typeParam Path The URL path, such as `"/orders/[id]/events"`.
 */
export type EventsMethodOf<Routes, Path extends RoutePath<Routes>> =
  & EventsMethod<RouteModule<Routes, Path>>
  & Method;

/**
 * The paths of the routes that declare events.
 *
 * @typeParam Routes The map of the routes.
 */
export type EventsPaths<Routes> = {
  [
    Path in RoutePath<Routes> as EventsMethod<RouteModule<Routes, Path>> extends
      never ? never : Path
  ]: Path;
};

/**
 * The default of the option `method`: `GET`, if `GET` declares events.
 *
 * @typeParam Declared The methods that declare events.
 */
export type DefaultEventsMethod<Declared> = "GET" extends Declared
  ? Declared & "GET"
  : Declared;

/**
 * The options of an event stream: the options of a call, and {@linkcode StreamOptions}.
 *
 * @typeParam Routes The map of the routes.
 * @typeParam Path The URL path, such as `"/orders/[id]/events"`.
 * @typeParam Name The method, such as `"GET"`.
 */
export type EventsOptions<
  Routes,
  Path extends RoutePath<Routes>,
  Name extends Method,
> =
  & CallOptions<
    Path,
    CallSchema<Routes, Path, Name>,
    OwnSchema<Routes, Path, Name>
  >
  & MethodOption<Name>
  & StreamOptions;

/**
 * The options, which may be omitted if none is required. Both branches contain
 * `Options`, so that the compiler can infer the method from the options.
 *
 * @typeParam Options The options.
 */
export type EventsArguments<Options> = Record<never, never> extends Options
  ? [options?: Options]
  : [options: Options];

/**
 * The option `method`, which is optional for `GET`.
 *
 * @typeParam Name The method.
 */
export type MethodOption<Name> = "GET" extends Name ? {
    /** The method of the call. */
    readonly method?: Name;
  }
  : {
    /** The method of the call. */
    readonly method: Name;
  };

/** The options of every stream of events. */
export interface StreamOptions {
  /**
   * The `lastEventId` of the last received event, for example from an earlier visit to
   * a page. The stream begins after this event.
   */
  readonly lastEventId?: string | undefined;
  /**
   * The time, in milliseconds, that the server may be silent, even before it responds.
   * After this time, the client reconnects. Only the first connection fails instead.
   * The time must exceed the heartbeat interval of the server, by default 15 seconds. 0
   * removes the limit.
   *
   * @default {45_000}
   */
  readonly idleTimeout?: number;
  /**
   * The maximum number of characters in an unfinished event. A longer event ends the
   * loop with a {@linkcode RangeError}, so that a server cannot exhaust the memory.
   *
   * @default {16_777_216}
   */
  readonly maxEventSize?: number;
  /**
   * Whether the client reconnects when the stream ends or breaks. With `false`, the
   * loop ends when the stream ends, and throws if the connection breaks.
   *
   * @default {method === "GET" || method === "QUERY"}, since others may repeat an effect
   */
  readonly resume?: boolean;
}

/**
 * The events of a method: a union that the member `event` discriminates.
 *
 * @typeParam Schema The schemas of the method.
 */
export type EventOfCall<Schema> = Schema extends
  { readonly events: infer Declared } ? {
    [Name in keyof Declared & string]: ReceivedEvent<
      Name,
      JsonOf<SchemaOutput<Declared[Name]>>
    >;
  }[keyof Declared & string]
  : never;

/**
 * An event of a stream.
 *
 * @typeParam Name The name of the event.
 * @typeParam Data The type of the data, as read from JSON.
 */
export interface ReceivedEvent<Name = string, Data = unknown> {
  /** The name of the event; `"message"` if the server did not send a name. */
  readonly event: Name;
  /** The data of the event. */
  readonly data: Data;
  /**
   * The id of this event, or of the last preceding event with an id. To continue in
   * another stream, pass the id as the option `lastEventId`.
   */
  readonly lastEventId: string | undefined;
}

/**
 * An event stream. The stream connects when the loop requests the first event, and
 * reads only as fast as the loop.
 *
 * @typeParam Event The events.
 * @typeParam Result The result of a call, if the server responds without events.
 */
export interface EventsIterator<Event, Result>
  extends AsyncIterableIterator<Event, undefined, unknown> {
  /** Ends the stream, even while the loop awaits an event. `break` does the same. */
  return(): Promise<IteratorResult<Event, undefined>>;
  /** Returns this object. */
  [Symbol.asyncIterator](): EventsIterator<Event, Result>;
  /**
   * Whether an error means that the server responded to this stream without events.
   * Narrows the type of the error's result.
   *
   * @param error The error that the loop threw.
   */
  isRefusal(error: unknown): error is EventsError & { readonly result: Result };
}

/**
 * The return type of `events`.
 *
 * @typeParam Routes The map of the routes.
 * @typeParam Path The URL path, such as `"/orders/[id]/events"`.
 * @typeParam Name The method, such as `"GET"`.
 * @typeParam Errors The error format of the application.
 */
export type EventsOf<
  Routes,
  Path extends RoutePath<Routes>,
  Name extends Method,
  Errors = undefined,
> = EventsIterator<
  EventOfCall<OwnSchema<Routes, Path, Name>>,
  CallResult<CallSchema<Routes, Path, Name>, RouteErrors<Routes, Path, Errors>>
>;

/** The error that the loop throws if the response is not an event stream. */
export class EventsError extends Error {
  /** The name of the error class. */
  override name = "EventsError";
  /**
   * The result that a call would have, with `status`, `problem` and `data`.
   * {@linkcode EventsIterator.isRefusal} narrows its type.
   */
  readonly result: UndeclaredResult<KnownStatus>;

  /** Creates the error of a call, such as `GET "/orders/[id]/events"`. */
  constructor(call: string, reading: Reading) {
    const result = reading as UndeclaredResult<KnownStatus>;
    const { status, problem, response } = result;
    const type = response.headers.get("content-type");
    super(
      `Cannot read events of ${call}: the response has status ${status}` +
        (problem !== undefined
          ? `, ${problem.detail ?? problem.title}`
          : status === 200
          ? ` and content type "${type}"`
          : ""),
    );
    this.result = result;
  }
}

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
 * The options of a socket, without `headers`, which browsers cannot send.
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

/** The options of every socket. */
export interface SocketCallOptions {
  /** The subprotocols that this client supports, in order of preference. */
  readonly protocols?: readonly string[];
  /**
   * The maximum number of unread messages. If another message arrives, the client
   * closes the socket with 4008. The loop reads the unread messages, then throws.
   *
   * @default {1_000}
   */
  readonly maxQueued?: number;
}

/**
 * The schemas of the socket of a route.
 *
 * @typeParam Routes The map of the routes.
 * @typeParam Path The URL path, such as `"/chat/[room]"`.
 */
export type SocketOf<Routes, Path extends RoutePath<Routes>> =
  OwnSchema<Routes, Path, "GET"> extends { readonly socket: infer Socket }
    ? Socket
    : never;

/**
 * The option for the format of the messages in one direction. A direction without a
 * schema requires `"raw"`, since the client has no schemas at run time, and uses JSON
 * by default.
 *
 * @typeParam Name The name of the option.
 * @typeParam Direction The direction, as the server names it: `"receive"` or `"send"`.
 * @typeParam Socket The schemas of the socket.
 */
export type RawOption<
  Name extends string,
  Direction extends string,
  Socket,
> = Direction extends keyof Socket ? { readonly [Key in Name]?: "json" }
  : { readonly [Key in Name]: "raw" };

/**
 * The messages that a client sends: the input of the schema `receive`, or strings and
 * bytes if there is no such schema.
 *
 * @typeParam Socket The schemas of the socket.
 */
export type ClientSent<Socket> = Socket extends
  { readonly receive: infer Receive } ? SchemaInput<Receive>
  : string | ArrayBuffer | ArrayBufferView<ArrayBuffer>;

/**
 * The messages that a client receives: the JSON of the output of the schema `send`, or
 * strings and bytes if there is no such schema.
 *
 * @typeParam Socket The schemas of the socket.
 */
export type ClientReceived<Socket> = Socket extends
  { readonly send: infer Send } ? JsonOf<SchemaOutput<Send>>
  : string | Uint8Array<ArrayBuffer>;

/** The code and the reason with which a socket was closed. */
export interface SocketClosing {
  /**
   * The code of the side that closed first (RFC 6455, 7.4). 1005 means that this side
   * did not send a code; 1006 means that the connection broke or failed to open.
   */
  readonly code: number;
  /** The reason that was sent with the code; `""` if there is none. */
  readonly reason: string;
}

/**
 * The client's end of a socket, whose messages a loop reads. The client does not
 * reconnect after a close, since messages sent in the meantime would be lost.
 *
 * @typeParam Sent The messages to the server.
 * @typeParam Received The messages of the server.
 */
export interface ClientSocket<Sent, Received>
  extends AsyncIterableIterator<Received, undefined, unknown> {
  /**
   * Resolves when the socket is open, with the subprotocol that the server chose, or
   * with `""` if there is none. Rejects if the socket fails to open; browsers do not
   * reveal the reason.
   */
  readonly opened: Promise<string>;
  /** Resolves when the socket is closed, even after an error. */
  readonly closed: Promise<SocketClosing>;
  /** The number of bytes that the open socket still has to send. */
  readonly bufferedAmount: number;
  /**
   * Sends a message. Messages are queued until the socket is open.
   *
   * @param value The value to send.
   * @returns Whether the message was accepted: `false` if the socket is closing or closed.
   * @throws {TypeError} If JSON cannot represent the value, such as `undefined`.
   */
  send(value: Sent): boolean;
  /**
   * Closes the socket. The loop can still read messages that have already arrived.
   *
   * @param code The code, 1000 by default; applications define the codes from 3000 to
   * 4999.
   * @param reason The reason for the server, at most 123 bytes of UTF-8.
   * @throws {DOMException} If the code is not allowed, or the reason is too long.
   */
  close(code?: number, reason?: string): void;
  /** Closes the socket, even while the loop awaits a message. `break` does the same. */
  return(): Promise<IteratorResult<Received, undefined>>;
  /** Returns this object. */
  [Symbol.asyncIterator](): ClientSocket<Sent, Received>;
}

/**
 * The return type of `socket`.
 *
 * @typeParam Routes The map of the routes.
 * @typeParam Path The URL path, such as `"/chat/[room]"`.
 */
export type ClientSocketOf<Routes, Path extends RoutePath<Routes>> =
  ClientSocket<
    ClientSent<SocketOf<Routes, Path>>,
    ClientReceived<SocketOf<Routes, Path>>
  >;
