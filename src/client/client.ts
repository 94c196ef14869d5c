import createFetchClient from "openapi-fetch";
import type { FilesByPath, RoutePath } from "../http/route_map_types.ts";
import { type Method, METHODS } from "../method.ts";
import type { CallSchema, OwnSchema } from "./call_schema.ts";
import type { CallOptions, Primitive } from "./call_types.ts";
import { pathnameOf } from "./pathname.ts";
import { type Reading, readResponse } from "./read_response.ts";
import type {
  CallResult,
  HeadResult,
  UndeclaredResult,
} from "./result_types.ts";
import { bodyOf, queryText } from "./serialize.ts";
import type { KnownStatus } from "./status.ts";

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
  /** Headers of every request, such as `authorization`. */
  readonly headers?: HeadersInit;
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
 * A client: a function for each method, which takes the path of a route as its
 * folders spell it, without groups and prefix.
 *
 * @typeParam Routes The map of the routes.
 */
export type Client<Routes> = {
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

/** What a call takes, as far as it is known at run time. */
interface Sent {
  readonly params?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, Primitive | undefined>>;
  readonly body?: unknown;
  readonly signal?: AbortSignal;
}

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
  const { baseUrl = "/api", fetch: send = globalThis.fetch, headers } = options;
  const origin = globalThis.location?.origin ?? "http://localhost";
  const sender = createFetchClient<Record<never, never>>({
    baseUrl: new URL(baseUrl, origin).href,
    ...(headers !== undefined && { headers }),
    querySerializer: queryText,
    bodySerializer: bodyOf,
  }) as unknown as Sender;

  async function call(
    method: Method,
    path: string,
    { params = {}, query = {}, headers = {}, body, signal }: Sent = {},
  ): Promise<Reading> {
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
    return await readResponse(received!, { method, path });
  }

  return Object.fromEntries(
    METHODS.map((method) => [
      method,
      (path: string, options?: Sent) => call(method, path, options),
    ]),
  ) as unknown as Client<Routes>;
}

/** The part of openapi-fetch that is used; its types are those of a document. */
interface Sender {
  request(method: string, path: string, init: object): Promise<unknown>;
}

/** What openapi-fetch gets in place of a response. */
const TAKEN = new Response(null, { status: 204 });
