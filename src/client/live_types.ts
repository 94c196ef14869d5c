import type { Method } from "../methods.ts";
import type { JsonOf, SchemaInput, SchemaOutput } from "../types/responses.ts";
import type { RouteModule, RoutePath } from "../types/route_map.ts";
import type {
  CallOptions,
  CallResult,
  CallSchema,
  KnownStatus,
  OwnSchema,
  ParamsOption,
  PathInput,
  QueryOption,
  UndeclaredResult,
} from "./call_types.ts";
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
 * The method that is called where none is told: `GET`, if that declares events.
 *
 * @typeParam Declared The methods that declare events.
 */
export type DefaultEventsMethod<Declared> = "GET" extends Declared
  ? Declared & "GET"
  : Declared;

/**
 * The options of a stream of events: those of a call, and more.
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
 * The options, which may be left out where none is required. The compiler infers the
 * method from them, so it must see both forms.
 *
 * @typeParam Options The options.
 */
export type EventsArguments<Options> = Record<never, never> extends Options
  ? [options?: Options]
  : [options: Options];

/**
 * The option `method`, which `GET` does not need.
 *
 * @typeParam Name The method.
 */
export type MethodOption<Name> = "GET" extends Name ? {
    /** The method that is called. */
    readonly method?: Name;
  }
  : {
    /** The method that is called. */
    readonly method: Name;
  };

/** The options that every stream of events has. */
export interface StreamOptions {
  /**
   * The `lastEventId` of the last event that was seen before, say by a page that was
   * closed: the stream begins after it.
   */
  readonly lastEventId?: string | undefined;
  /**
   * How long, in milliseconds, the server may be silent, also before it responds, until
   * the client reconnects; the first connection fails instead. It has to be longer than
   * the time between heartbeats, which is 15 seconds by default. 0 is for ever.
   *
   * @default {45_000}
   */
  readonly idleTimeout?: number;
  /**
   * How many characters of an event may come without its end. More end the loop with a
   * {@linkcode RangeError}, so that no server fills the memory.
   *
   * @default {16_777_216}
   */
  readonly maxEventSize?: number;
  /**
   * Whether the client reconnects when the stream ends or breaks. Where it does not,
   * the loop ends with the stream, and throws if the connection breaks.
   *
   * @default {method === "GET"}, since another method may do something twice
   */
  readonly resume?: boolean;
}

/**
 * The events of a method: a union that the member `event` tells apart.
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
 * @typeParam Data What JSON makes of its data.
 */
export interface ReceivedEvent<Name = string, Data = unknown> {
  /** The name of the event: `"message"` where the server gave it none. */
  readonly event: Name;
  /** The data of the event. */
  readonly data: Data;
  /**
   * The id of this event, or of the last one before it that had one: where another
   * stream may begin. It is `undefined` where none had any.
   */
  readonly lastEventId: string | undefined;
}

/**
 * A stream of events. It connects when it is first asked for an event, and reads on
 * only as fast as it is asked.
 *
 * @typeParam Event The events.
 * @typeParam Result What the server may respond with in their place.
 */
export interface EventsIterator<Event, Result>
  extends AsyncIterableIterator<Event, undefined, unknown> {
  /** Leaves the stream, also while an event is awaited. `break` does the same. */
  return(): Promise<IteratorResult<Event, undefined>>;
  /** The same object. */
  [Symbol.asyncIterator](): EventsIterator<Event, Result>;
  /**
   * Whether an error says that the server responded to this stream with something
   * else than events, and so what that may be.
   *
   * @param error What the loop threw.
   */
  isRefusal(error: unknown): error is EventsError & { readonly result: Result };
}

/**
 * What a call of `events` returns.
 *
 * @typeParam Routes The map of the routes.
 * @typeParam Path The URL path, such as `"/orders/[id]/events"`.
 * @typeParam Name The method, such as `"GET"`.
 */
export type EventsOf<
  Routes,
  Path extends RoutePath<Routes>,
  Name extends Method,
> = EventsIterator<
  EventOfCall<OwnSchema<Routes, Path, Name>>,
  CallResult<CallSchema<Routes, Path, Name>>
>;

/** Thrown where the server responds with something else than a stream of events. */
export class EventsError extends Error {
  /** The name of the error class. */
  override name = "EventsError";
  /**
   * The response as a call would have read it, with `status`, `problem` and `data`.
   * {@linkcode EventsIterator.isRefusal} types it.
   */
  readonly result: UndeclaredResult<KnownStatus>;

  /** Takes the call, such as `GET "/orders/[id]/events"`, and its response. */
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
