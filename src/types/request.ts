import type { Method } from "../methods.ts";
import type { Match } from "../routing/tree.ts";
import type {
  PathParams,
  PathWildcard,
  RouteContracts,
  RouteModule,
  RoutePath,
  SchemaOfMethod,
  UnderContracts,
} from "./route_map.ts";
import type { MethodSchema, Validated } from "./schema.ts";

/**
 * The one argument of every handler: the web `Request` that `Deno.serve` made,
 * with the values in its path and the outputs of validation.
 *
 * Name the path of the route, the schema of the method, or both, to type its
 * members: `FrameworkRequest<"/users/[id]">`,
 * `FrameworkRequest<typeof schema.post>`,
 * `FrameworkRequest<typeof schema.post, "/users/[id]">`.
 *
 * @typeParam Schema The schemas of the method, such as `typeof schema.post`, or
 * the path, where no schema matters.
 * @typeParam Path The path as its folders spell it, such as `"/users/[id]"`.
 *
 * @example Usage
 * ```ts
 * import type { FrameworkRequest } from "@bough/framework";
 * import { z } from "zod";
 *
 * export const schema = {
 *   post: { body: z.object({ title: z.string() }) },
 * };
 *
 * export function POST(
 *   request: FrameworkRequest<typeof schema.post, "/authors/[authorId]/books">,
 * ): Response {
 *   const { authorId } = request.params; // a string
 *   const { title } = request.validated.body; // a string
 *   return Response.json({ authorId, title }, { status: 201 });
 * }
 * ```
 */
export interface FrameworkRequest<
  Schema extends MethodSchema | string = MethodSchema,
  Path extends string = Schema extends string ? Schema : string,
> extends Request {
  /**
   * The values of the dynamic segments, by folder name: for
   * `users/[id]/route.ts` and `/api/users/42` it is `{ id: "42" }`. It has no
   * prototype, so only the names of the folders have a value.
   */
  params: PathParams<Path>;
  /**
   * The segments that `[...]` captured, decoded, in URL order. None of them is
   * empty, `.` or `..`, or holds a separator. Absent without a wildcard.
   */
  wildcardParams: PathWildcard<Path>;
  /** The outputs of the schemas, by part: `request.validated.body`. */
  validated: Schema extends MethodSchema ? Validated<Schema>
    : Record<never, never>;
  /** The URL pattern of the route, such as `"/api/users/[id]"`. */
  readonly pattern: string;
  /**
   * What the server knows of the connection: `info.remoteAddr` is the address of
   * the client, or of the proxy in front. For a request that was handed to
   * `app.fetch(request)` without it, the address is `0.0.0.0`, port 0.
   */
  readonly info: Deno.ServeHandlerInfo<Deno.Addr>;
}

/**
 * The request as a middleware gets it: that of the handler, but it may have no route.
 *
 * @typeParam Schema The schemas that were checked before the middleware.
 */
export interface MiddlewareRequest<Schema extends MethodSchema = MethodSchema>
  extends Omit<FrameworkRequest<Schema>, "pattern"> {
  /**
   * The URL pattern of the matched route, such as `"/api/users/[id]"`;
   * `undefined` where no route matched.
   */
  readonly pattern: string | undefined;
}

/**
 * A handler: what a route file exports under the name of a method. With this
 * type on an export, `deno check` finds a wrong return type. It takes the same
 * type parameters as {@linkcode FrameworkRequest}.
 *
 * @typeParam Schema The schemas of the method, such as `typeof schema.get`, or
 * the path.
 * @typeParam Path The path as its folders spell it, such as `"/users/[id]"`.
 *
 * @example Usage
 * ```ts
 * import type { Handler } from "@bough/framework";
 *
 * export const GET: Handler<"/users/[id]"> = (request) =>
 *   Response.json({ id: request.params.id });
 * ```
 */
export type Handler<
  Schema extends MethodSchema | string = MethodSchema,
  Path extends string = Schema extends string ? Schema : string,
> = (request: FrameworkRequest<Schema, Path>) => Response | Promise<Response>;

const NOTHING_VALIDATED = Object.freeze({});

/**
 * The `info` of a request that no server passed on. Its address is the unspecified
 * one (RFC 1122, 3.2.1.3), which no client has: a guard that lets in `127.0.0.1`
 * must not open where `Deno.serve((request) => app.fetch(request))` drops `info`.
 */
export const NO_CONNECTION: Deno.ServeHandlerInfo<Deno.Addr> = Object.freeze({
  remoteAddr: Object.freeze({ transport: "tcp", hostname: "0.0.0.0", port: 0 }),
  completed: Promise.resolve(),
});

/** A request whose members are being set. */
type Binding<Bound> = { -readonly [Name in keyof Bound]: Bound[Name] };

/**
 * Makes a request a {@linkcode FrameworkRequest}. It sets the members on the
 * request itself: a wrapper would cost a copy, and break
 * `Deno.upgradeWebSocket(request)`.
 *
 * @param info What the server passed along with the request, if one did.
 */
export function bindRequest(
  request: Request,
  { params, wildcardParams }: Match,
  pattern: string,
  info: unknown,
): FrameworkRequest {
  const bound = request as Binding<FrameworkRequest>;
  bound.params = params;
  bound.validated = NOTHING_VALIDATED;
  bound.pattern = pattern;
  bound.info = infoOf(bound, info);
  if (wildcardParams === undefined) forgetWildcard(bound);
  else bound.wildcardParams = wildcardParams;
  return bound;
}

/** Makes a request that no route matched one for middleware. */
export function bindUnmatched(
  request: Request,
  info: unknown,
): MiddlewareRequest {
  const bound = request as Binding<MiddlewareRequest>;
  bound.params = Object.create(null);
  bound.validated = NOTHING_VALIDATED as FrameworkRequest["validated"];
  bound.pattern = undefined;
  bound.info = infoOf(bound, info);
  forgetWildcard(bound);
  return bound;
}

/** A handler may pass its request to another application, and not its `info`. */
function infoOf(
  request: Partial<MiddlewareRequest>,
  info: unknown,
): MiddlewareRequest["info"] {
  return (info as MiddlewareRequest["info"] | undefined) ?? request.info ??
    NO_CONNECTION;
}

/**
 * A handler may pass its request to another application. The routes there must
 * not see what the wildcard of the first route captured.
 */
function forgetWildcard(request: Partial<MiddlewareRequest>): void {
  if (request.wildcardParams !== undefined) delete request.wildcardParams;
}

/**
 * The request of a handler, by the path of its route and its method: its schemas, the
 * names in its path, and what the contracts of its folders validate.
 *
 * @typeParam Routes The map of the routes.
 * @typeParam Path The URL path, such as `"/books/[bookId]"`.
 * @typeParam Name The method, such as `"GET"`.
 */
export type RouteRequest<
  Routes,
  Path extends RoutePath<Routes>,
  Name extends Method,
> = UnderContracts<
  RouteContracts<Routes, Path>,
  SchemaOfMethod<RouteModule<Routes, Path>, Name>
> extends infer Schema extends MethodSchema ? FrameworkRequest<Schema, Path>
  : FrameworkRequest<Path>;

/**
 * The paths that the handlers of a route file name in the types of their requests.
 *
 * @typeParam Module The exports of the route file.
 */
export type ToldPaths<Module> = {
  [Name in keyof Module & Method]: Module[Name] extends
    (request: FrameworkRequest<infer _Schema, infer Path>) => unknown
    ? string extends Path ? never : Path
    : never;
}[keyof Module & Method];

/**
 * Holds the paths that handlers name to that of their folder: `deno check` refuses
 * any other.
 *
 * @typeParam Path The path of the folder.
 * @typeParam Told The paths that are told there.
 */
export type TellsPath<Path extends string, Told extends Path> = Told;
