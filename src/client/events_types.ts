import type { Method } from "../methods.ts";
import type { JsonOf, SchemaOutput } from "../types/responses.ts";
import type { RouteModule, RoutePath } from "../types/route_map.ts";
import type { CallOptions, CallSchema, OwnSchema } from "./call_types.ts";
import type { Reading } from "./read_response.ts";
import type {
  CallResult,
  KnownStatus,
  UndeclaredResult,
} from "./result_types.ts";

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
