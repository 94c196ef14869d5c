import type { Method } from "../core/methods.ts";
import type {
  FilesByPath,
  RouteErrors,
  RoutePath,
} from "../core/types/route_map.ts";
import type {
  CallOptions,
  CallSchema,
  OwnSchema,
  RetryOption,
} from "./call_types.ts";
import type {
  CallResult,
  HeadResult,
  KnownStatus,
  UndeclaredResult,
} from "./result_types.ts";
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
 * A client: a function for each method, and `events` and `socket` for live routes. Each
 * function takes the path of a route with the names of its folders, such as
 * `/books/[bookId]`, without groups and without the prefix.
 *
 * @typeParam Routes The map of the routes.
 * @typeParam Errors The error format of the application.
 */
export type Client<Routes, Errors = undefined> =
  & MethodCalls<Routes, Errors>
  & LiveCalls<Routes, Errors>;

/**
 * The calls of live routes.
 *
 * @typeParam Routes The map of the routes.
 * @typeParam Errors The error format of the application.
 */
export interface LiveCalls<Routes, Errors = undefined> {
  /**
   * Reads the events that a route declares. When the connection ends or breaks, the
   * loop reconnects and continues after the last event with an id. The loop ends when
   * the server responds with 204.
   *
   * @param path The path of a route that declares events.
   * @param options The options of a call, and the option `method` for a method other
   * than `GET`.
   * @returns The events. Before the first connection, the loop throws the errors of a
   * call. If the response is not an event stream, the loop throws an
   * {@linkcode EventsError}.
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
  ): EventsOf<Routes, Path, Name, Errors>;

  /**
   * Opens the socket that the `GET` of a route declares.
   *
   * @param path The path of a route that declares a socket.
   * @param options The parameters, the query and the subprotocols of the request.
   * @returns The socket.
   * @throws {TypeError} If a path cannot contain a value.
   */
  socket<Path extends keyof SocketPaths<Routes> & RoutePath<Routes>>(
    path: Path,
    ...options: IsUnion<Path> extends false
      ? CallArguments<SocketOptionsOf<Routes, Path>>
      : [options?: never]
  ): ClientSocketOf<Routes, Path>;
}

/**
 * The paths of the routes that handle a method. A route that handles `GET` also handles
 * `HEAD`.
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
 * A path, if its route file handles a method. This type avoids an intersection, for
 * which the compiler would compare the names of all files.
 *
 * @typeParam Path The URL path, such as `"/books/[bookId]"`.
 * @typeParam Name The method, such as `"GET"`.
 * @typeParam Names The names of the exports of the file.
 */
export type PathHandling<Path, Name, Names> = Name extends Names ? Path
  : Name extends "HEAD" ? PathHandling<Path, "GET", Names>
  : never;

/**
 * The calls of a client: a function for each method. Each function takes the path of a
 * route with the names of its folders, such as `/books/[bookId]`, without groups and
 * without the prefix.
 *
 * @typeParam Routes The map of the routes.
 * @typeParam Errors The error format of the application.
 */
export type MethodCalls<Routes, Errors = undefined> = {
  readonly [Name in Method]: <
    Path extends keyof PathsByHandler<Routes, Name> & RoutePath<Routes>,
  >(
    path: Path,
    ...options: [Path] extends [infer Known extends string]
      ? IsUnion<Known> extends false ? CallArguments<
          & CallOptions<
            Known,
            CallSchema<Routes, Path, Name>,
            OwnSchema<Routes, Path, Name>
          >
          & RetryOption
        >
      : [options?: never]
      : never
  ) => Promise<
    Name extends "HEAD" ? HeadResult
      : IsUnion<Path> extends false ? CallResult<
          CallSchema<Routes, Path, Name>,
          RouteErrors<Routes, Path, Errors>
        >
      : UndeclaredResult<KnownStatus>
  >;
};

/**
 * Whether a type is a union. The type of a path is a union if no such route exists, for
 * example while a developer is typing the path. The call then has undeclared results
 * and no options, so that the compiler reports only the path.
 *
 * @typeParam Type The type.
 * @typeParam All The whole union, over which the type does not distribute.
 */
export type IsUnion<Type, All = Type> = Type extends Type
  ? [All] extends [Type] ? false : true
  : never;

/**
 * The options of a call, which may be omitted if none is required.
 *
 * While the compiler infers the path, `infer` prevents a comparison with the options of
 * all routes.
 *
 * @typeParam Options The options.
 */
export type CallArguments<Options> = Options extends infer Known
  ? Record<never, never> extends Known ? [options?: Known] : [options: Known]
  : never;
