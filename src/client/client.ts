import type { Method } from "../methods.ts";
import type { FilesByPath, RoutePath } from "../types/route_map.ts";
import type {
  CallOptions,
  CallResult,
  CallSchema,
  HeadResult,
  KnownStatus,
  OwnSchema,
  UndeclaredResult,
} from "./call_types.ts";
import type {
  ClientSocketOf,
  DefaultEventsMethod,
  EventsArguments,
  EventsMethodOf,
  EventsOf,
  EventsOptions,
  EventsPaths,
  SocketOptionsOf,
  SocketPaths,
} from "./live_types.ts";

/**
 * A client: a function for each method, and `events` and `socket` for live routes. They
 * take the path of a route as its folders spell it, without groups and prefix.
 *
 * @typeParam Routes The map of the routes.
 */
export type Client<Routes> = MethodCalls<Routes> & LiveCalls<Routes>;

/**
 * The calls of live routes.
 *
 * @typeParam Routes The map of the routes.
 */
export interface LiveCalls<Routes> {
  /**
   * Reads the events that a route declares. When the connection ends or breaks, the
   * loop reconnects, after the last event that had an id. It ends when the server
   * responds with 204.
   *
   * @param path The path of a route that declares events.
   * @param options What is sent, as for a call, and `method`, where that is not `GET`.
   * @returns The events. The loop throws what a call would throw before the first
   * connection, and an {@linkcode EventsError} for a response that is no stream.
   */
  events<
    Path extends keyof EventsPaths<Routes> & RoutePath<Routes>,
    const Name extends EventsMethodOf<Routes, Path> = DefaultEventsMethod<
      EventsMethodOf<Routes, Path>
    >,
  >(
    path: Path,
    ...options: IsUnion<Path> extends false
      ? EventsArguments<EventsOptions<Routes, Path, Name>>
      : [options?: never]
  ): EventsOf<Routes, Path, Name>;

  /**
   * Opens the socket that the `GET` of a route declares.
   *
   * @param path The path of a route that declares a socket.
   * @param options What is sent with the request, and what the client speaks.
   * @returns The socket.
   * @throws {TypeError} If a value cannot be in a path.
   */
  socket<Path extends keyof SocketPaths<Routes> & RoutePath<Routes>>(
    path: Path,
    ...options: IsUnion<Path> extends false
      ? CallArguments<SocketOptionsOf<Routes, Path>>
      : [options?: never]
  ): ClientSocketOf<Routes, Path>;
}

/**
 * The paths of the routes that handle a method. `HEAD` is handled where `GET` is.
 *
 * @typeParam Routes The map of the routes.
 * @typeParam Name The method, such as `"GET"`.
 */
export type PathsByHandler<Routes, Name extends Method> = {
  [
    Path in RoutePath<Routes> as PathHandling<
      Path,
      Name,
      FilesByPath<Routes>[Path]["names"]
    >
  ]: Path;
};

/**
 * A path, if its route file handles a method. It is no intersection, of which the
 * compiler would compare the names of all files.
 *
 * @typeParam Path The URL path, such as `"/books/[bookId]"`.
 * @typeParam Name The method, such as `"GET"`.
 * @typeParam Names The names of what the file exports.
 */
export type PathHandling<Path, Name, Names> = Name extends Names ? Path
  : Name extends "HEAD" ? PathHandling<Path, "GET", Names>
  : never;

/**
 * The calls of a client: a function for each method, which takes the path of a route
 * as its folders spell it, without groups and prefix.
 *
 * @typeParam Routes The map of the routes.
 */
export type MethodCalls<Routes> = {
  readonly [Name in Method]: <
    Path extends keyof PathsByHandler<Routes, Name> & RoutePath<Routes>,
  >(
    path: Path,
    ...options: [Path] extends [infer Known extends string]
      ? IsUnion<Known> extends false ? CallArguments<
          CallOptions<
            Known,
            CallSchema<Routes, Path, Name>,
            OwnSchema<Routes, Path, Name>
          >
        >
      : [options?: never]
      : never
  ) => Promise<
    Name extends "HEAD" ? HeadResult
      : IsUnion<Path> extends false ? CallResult<CallSchema<Routes, Path, Name>>
      : UndeclaredResult<KnownStatus>
  >;
};

/**
 * Whether a type is a union. The path of a call is one where the call has a path that
 * does not exist, as while it is being typed: without options and declared results
 * then, the compiler tells of the path, and looks at no route for it.
 *
 * @typeParam Type The type.
 * @typeParam All The same.
 */
export type IsUnion<Type, All = Type> = Type extends Type
  ? [All] extends [Type] ? false : true
  : never;

/**
 * The options of a call, which may be left out where none is required.
 *
 * While the path is being inferred, `infer` keeps the compiler from looking for the
 * members of the options in those of all routes.
 *
 * @typeParam Options The options.
 */
export type CallArguments<Options> = Options extends infer Known
  ? Record<never, never> extends Known ? [options?: Known] : [options: Known]
  : never;
