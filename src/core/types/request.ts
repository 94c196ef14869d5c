import type { FolderContract, Unchecked } from "./contract.ts";
import type { PathParams, PathWildcard } from "./path.ts";
import type { MethodSchema, SecurityRequirement, Validated } from "./schema.ts";

/**
 * The argument of every handler: the web `Request` from `Deno.serve`, with the values
 * in its path and the outputs of validation.
 *
 * Name the path of the route, the schema of the method, or both, to type its
 * members: `FrameworkRequest<"/users/[id]">`,
 * `FrameworkRequest<typeof schema.post>`,
 * `FrameworkRequest<typeof schema.post, "/users/[id]">`.
 *
 * @typeParam Schema The schemas of the method, such as `typeof schema.post`; or the
 * path, if the method has no schema.
 * @typeParam Path The path, in the form of its folders, such as `"/users/[id]"`.
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
   * The values of the dynamic segments, by folder name: `{ id: "42" }` for
   * `users/[id]/route.ts` and `/api/users/42`. The object does not inherit members such
   * as `constructor`.
   */
  params: PathParams<Path>;
  /**
   * The decoded segments that `[...]` captured, in URL order. The array cannot contain
   * empty segments, `.`, `..` or separators. The member is absent if the route has no
   * wildcard.
   */
  wildcardParams: PathWildcard<Path>;
  /** The outputs of the schemas, by part: `request.validated.body`. */
  validated: Schema extends MethodSchema ? Validated<Schema>
    : Record<never, never>;
  /** The URL pattern of the route, such as `"/api/users/[id]"`. */
  readonly pattern: string;
  /**
   * The security of the operation: a request must meet one of the requirements. The
   * requirements come from the method, for example from `schema.get.security`, or from
   * the contract of the innermost folder with `security`. `[]` allows anonymous
   * requests. The value is `undefined` if neither the method nor a folder declares
   * security.
   */
  readonly security: readonly SecurityRequirement[] | undefined;
  /**
   * The connection info from the server: `info.remoteAddr` is the address of the client,
   * or of the proxy in front of the server. For a request passed to `app.fetch(request)`
   * without `info`, the address is `0.0.0.0`, port 0.
   */
  readonly info: Deno.ServeHandlerInfo<Deno.Addr>;
  /**
   * Continues work after the response: a server that drains waits for the promise, within
   * `shutdownTimeout`. If the promise rejects, Bough logs the error with the route of the
   * request. The response does not wait for the promise.
   *
   * @param promise The promise of the work, such as the result of an `async` function.
   * @throws {TypeError} If the value is not a promise.
   *
   * @example Usage
   * ```ts
   * import type { FrameworkRequest } from "@bough/framework";
   *
   * async function sendMail(to: string): Promise<void> {
   *   await fetch("https://mail.example.com/", { method: "POST", body: to });
   * }
   *
   * export function POST(request: FrameworkRequest): Response {
   *   request.waitUntil(sendMail("ada@example.com"));
   *   return new Response(null, { status: 202 });
   * }
   * ```
   */
  waitUntil(promise: PromiseLike<unknown>): void;
}

/**
 * The argument of a middleware: the request of the handler, or a request that matches
 * no route.
 *
 * @typeParam Schema The schemas that the request was checked against before the
 * middleware ran.
 */
export interface MiddlewareRequest<Schema extends MethodSchema = MethodSchema>
  extends Omit<FrameworkRequest<Schema>, "pattern"> {
  /**
   * The URL pattern of the matched route, such as `"/api/users/[id]"`; `undefined` if
   * no route matches.
   */
  readonly pattern: string | undefined;
}

/**
 * A handler: the function that a route file exports under the name of a method. With
 * this type on an export, `deno check` reports a wrong return type. The type parameters
 * are the same as for {@linkcode FrameworkRequest}.
 *
 * @typeParam Schema The schemas of the method, such as `typeof schema.get`, or the path.
 * @typeParam Path The path, in the form of its folders, such as `"/users/[id]"`.
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

/**
 * Runs the inner middleware, validation and the handler, and resolves with their
 * response. If any of them throws a value, the promise rejects with this value. Call
 * `next` once, without arguments. The headers of the response are mutable, even for a
 * redirect or a response of `fetch()`.
 */
export type Next = () => Promise<Response>;

/**
 * Runs around the routes of a folder, as the default export of its `middleware.ts`, or
 * around the whole application, in the option `middleware`.
 *
 * A middleware returns the response of `next()`, or another response. The handler runs
 * only if the middleware calls `next()`.
 *
 * @typeParam Contract The `contract` in the same file, if any. `request.validated` then
 * has the values of the contract, or `undefined` if no handler responds.
 *
 * @example Usage
 * ```ts
 * import type { Middleware } from "@bough/framework";
 *
 * const timed: Middleware = async (request, next) => {
 *   const start = performance.now();
 *   const response = await next();
 *   console.log(request.pattern, performance.now() - start);
 *   return response;
 * };
 *
 * export default timed;
 * ```
 */
export type Middleware<
  Contract extends FolderContract | undefined = undefined,
> = (
  request: MiddlewareRequest<
    Contract extends FolderContract ? Unchecked<Contract> : MethodSchema
  >,
  next: Next,
) => Response | Promise<Response>;

/**
 * A middleware function with contracts, which apply as if each were the `contract` of
 * its own folder. Bough checks them just before the function runs. A folder that uses
 * the function needs no `contract` export of its own.
 *
 * @typeParam Contracts The contracts, outermost first. With their exact types, the
 * client knows their headers and responses.
 *
 * @example Usage
 * ```ts
 * import type { Middleware } from "@bough/framework";
 * import type { ContractedMiddleware } from "@bough/framework/types";
 * import { z } from "zod";
 *
 * const contract = {
 *   methods: ["POST"],
 *   headers: z.object({ "x-reason": z.string() }),
 * } as const;
 * const audit: Middleware = (request, next) => {
 *   console.log(request.method, request.headers.get("x-reason"));
 *   return next();
 * };
 *
 * const audited: ContractedMiddleware<readonly [typeof contract]> = Object.assign(
 *   audit,
 *   { contracts: [contract] as const },
 * );
 * export default [audited];
 * ```
 */
export interface ContractedMiddleware<
  Contracts extends readonly FolderContract[] = readonly FolderContract[],
> {
  (request: MiddlewareRequest, next: Next): Response | Promise<Response>;
  /** The contracts, outermost first. */
  readonly contracts: Contracts;
}

/**
 * Responds to a path that no route matches. If it returns `undefined`, Bough responds
 * with 404.
 *
 * @example Usage
 * ```ts
 * import { Framework, type NotFoundHandler } from "@bough/framework";
 *
 * const onNotFound: NotFoundHandler = (request) =>
 *   request.url.endsWith("/favicon.ico")
 *     ? new Response(null, { status: 204 })
 *     : undefined;
 * new Framework({ apiDir: "examples/minimal/api", onNotFound });
 * ```
 */
export type NotFoundHandler = (
  request: Request,
) => Response | undefined | void | Promise<Response | undefined | void>;

/**
 * Receives the value that a handler threw, and the request. The function may log the
 * error, and may return the response.
 *
 * @example Usage
 * ```ts
 * import { type ErrorHandler, Framework } from "@bough/framework";
 *
 * const onError: ErrorHandler = (error) => {
 *   if (error instanceof Deno.errors.NotFound) {
 *     return new Response("There is no such file", { status: 404 });
 *   }
 * };
 * new Framework({ apiDir: "examples/minimal/api", onError });
 * ```
 */
export type ErrorHandler = (
  error: unknown,
  request: Request,
) => Response | undefined | void | Promise<Response | undefined | void>;
