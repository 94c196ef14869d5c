import createFetchClient from "openapi-fetch";
import type { RouteModule, RoutePath } from "../http/route_map_types.ts";
import { type Method, METHODS } from "../method.ts";
import type { CallSchema, OwnSchema } from "./call_schema.ts";
import type { CallOptions } from "./call_types.ts";
import type {
  DefaultEventsMethod,
  EventsMethod,
  EventsOf,
  EventsOptions,
  EventsPaths,
} from "./events_types.ts";
import { liveCalls, type Sent } from "./live_calls.ts";
import { pathnameOf } from "./pathname.ts";
import { readResponse } from "./read_response.ts";
import type { CallResult, HeadResult } from "./result_types.ts";
import { bodyOf, queryText } from "./serialize.ts";
import type { SocketClass } from "./socket.ts";
import type {
  ClientSocketOf,
  SocketOptionsOf,
  SocketPaths,
} from "./socket_types.ts";

/** Options of {@linkcode createClient}. */
export interface ClientOptions {
  /**
   * Where the API is, with its prefix: `https://shop.example/api`. A path alone is
   * below the origin of the page, or below `http://localhost` where there is none.
   *
   * @default {"/api"}
   */
  readonly baseUrl?: string;
  /**
   * Sends a request: `app.fetch` makes a client for tests, without a port.
   *
   * @default {globalThis.fetch}
   */
  readonly fetch?: (request: Request) => Response | Promise<Response>;
  /** Headers of every request, such as `authorization`. A socket has none. */
  readonly headers?: HeadersInit;
  /**
   * Opens a socket.
   *
   * @default {globalThis.WebSocket}
   */
  readonly WebSocket?: SocketClass;
}

/**
 * The paths of the routes, each `never` that does not handle a method. `HEAD` is
 * handled where `GET` is.
 *
 * @typeParam Routes The map of the routes.
 * @typeParam Name The method, such as `"GET"`.
 */
export type PathsByHandler<Routes, Name extends Method> = {
  [Path in RoutePath<Routes>]:
    & (Name extends "HEAD" ? "HEAD" | "GET" : Name)
    & keyof RouteModule<Routes, Path> extends never ? never
    : Path;
};

/**
 * A client: a function for each method, which takes the path of a route as its
 * folders spell it, without groups and prefix; and `events` and `socket`.
 *
 * @typeParam Routes The map of the routes.
 */
export type Client<Routes> =
  & LiveCalls<Routes>
  & {
    readonly [Name in Method]: <
      Path extends PathsByHandler<Routes, Name>[RoutePath<Routes>],
    >(
      path: Path,
      ...options: IsUnion<Path> extends false ? CallArguments<
          CallOptions<
            Path,
            CallSchema<Routes, Path, Name>,
            OwnSchema<Routes, Path, Name>
          >
        >
        : [options?: never]
    ) => Promise<
      Name extends "HEAD" ? HeadResult
        : CallResult<CallSchema<Routes, Path, Name>>
    >;
  };

/**
 * The calls of live routes.
 *
 * @typeParam Routes The map of the routes.
 */
export interface LiveCalls<Routes> {
  /**
   * Reads the events of a route, which its method declares. When the connection ends
   * or breaks, it connects anew after the last event that had an id, until the server
   * responds with 204, or the loop is left.
   *
   * @param path The path of a route that declares events.
   * @param options What is sent, as for a call, and `method`, where it is not `GET`.
   * @returns The events. Reading them throws what `fetch` throws at first, and an
   * {@linkcode EventsError} for a response that waiting will not change.
   */
  events<
    Path extends keyof EventsPaths<Routes> & RoutePath<Routes>,
    const Name extends EventsMethod<RouteModule<Routes, Path>> & Method =
      & DefaultEventsMethod<EventsMethod<RouteModule<Routes, Path>>>
      & Method,
  >(
    path: Path,
    ...options: IsUnion<Path> extends false
      ? CallArguments<EventsOptions<Routes, Path, Name>>
      : [options?: never]
  ): EventsOf<Routes, Path, Name>;

  /**
   * Opens the socket of a route, which its `GET` declares.
   *
   * @param path The path of a route that declares a socket.
   * @param options What is sent with the request. There are no headers.
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
 * Whether a type is a union. The path of a call is one where the call has a path that
 * does not exist: without options then, the compiler tells of the path.
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
 * @typeParam Options The options.
 */
export type CallArguments<Options> = Record<never, never> extends Options
  ? [options?: Options]
  : [options: Options];

/**
 * Creates a client of an application.
 *
 * A body is sent as JSON, or as a form where a member of it is a `Blob`. A call
 * rejects where `fetch` does; a response with an error status is a result.
 *
 * @typeParam Routes The map of the routes: `Routes` of the file that `bough types`
 * writes, or the `typeof` of a manifest.
 * @param options Where the API is, and how requests are sent.
 * @returns The client. Its calls throw a {@linkcode TypeError} where a value cannot
 * be in a path, and a {@linkcode SyntaxError} where JSON is malformed.
 *
 * @example A test without a port
 * ```ts
 * import { Framework } from "@bough/framework";
 * import { createClient } from "@bough/framework/client";
 * import { assertEquals } from "@std/assert";
 *
 * const manifest = {
 *   "users/[id]/route.ts": { GET: () => Response.json({ name: "Ada" }) },
 * };
 * const { fetch } = new Framework({ manifest });
 * const api = createClient<typeof manifest>({ fetch });
 *
 * const { status, data } = await api.GET("/users/[id]", { params: { id: "7" } });
 * assertEquals(status, 200);
 * assertEquals(data, { name: "Ada" });
 * ```
 */
export function createClient<Routes>(
  options: ClientOptions = {},
): Client<Routes> {
  const { fetch: send = globalThis.fetch, headers } = options;
  const origin = globalThis.location?.origin ?? "http://localhost";
  const baseUrl = new URL(options.baseUrl ?? "/api", origin).href;
  const sender = createFetchClient<Record<never, never>>({
    baseUrl,
    ...(headers !== undefined && { headers }),
    querySerializer: queryText,
    bodySerializer: bodyOf,
  }) as unknown as Sender;

  async function respond(
    method: string,
    path: string,
    { params = {}, query = {}, headers = {}, body, signal }: Sent = {},
  ): Promise<Response> {
    let received: Response | undefined;
    const request = {
      params: { query },
      headers,
      body,
      ...(signal !== undefined && { signal }),
      // The body is read here: openapi-fetch takes any text for JSON.
      fetch: async (request: Request) => {
        received = await send(request);
        return TAKEN;
      },
    };
    const pathname = pathnameOf(method, path, params);
    await sender.request(method, pathname, request);
    return received!;
  }

  const calls = Object.fromEntries(
    METHODS.map((method) => [
      method,
      async (path: string, options?: Sent) =>
        readResponse(await respond(method, path, options), { method, path }),
    ]),
  );
  const live = liveCalls({ baseUrl, respond, WebSocket: options.WebSocket });
  return { ...calls, ...live } as unknown as Client<Routes>;
}

/** The part of openapi-fetch that is used; its types are those of a document. */
interface Sender {
  request(method: string, path: string, init: object): Promise<unknown>;
}

/** What openapi-fetch gets in place of a response. */
const TAKEN = new Response(null, { status: 204 });
