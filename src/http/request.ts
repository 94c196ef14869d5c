import type { RoutedPath } from "../routing/pathname.ts";
import type { PathParams, PathWildcard } from "./path_types.ts";
import type { MethodSchema, Validated } from "./validation/schema.ts";

/**
 * The one argument of every handler: the very web `Request` that `Deno.serve`
 * made, with what the router found in its path and what validation let through.
 *
 * Name the path of its route, the schema of its method, or both, and its members
 * are typed by them: `FrameworkRequest<"/users/[id]">`,
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
   * `users/[id]/route.ts` and `/api/users/42` it is `{ id: "42" }`. It inherits
   * nothing, so no key but those of the folders has a value.
   */
  params: PathParams<Path>;
  /**
   * The segments that `[...]` captured, decoded, in URL order. They are never
   * empty, `.` or `..` and hold no separator. Absent without a wildcard.
   */
  wildcardParams: PathWildcard<Path>;
  /** What the route's schema let through: its outputs, part by part. */
  validated: Schema extends MethodSchema ? Validated<Schema>
    : Record<never, never>;
}

/**
 * A handler: what a route file exports under the name of a method. Annotate an
 * export with it, and a wrong return type is found by `deno check`. It takes the
 * same types as {@linkcode FrameworkRequest}.
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
 * Makes a request a {@linkcode FrameworkRequest}. The members are plain
 * assignments on the request itself: wrapping it would cost a copy, and break
 * `Deno.upgradeWebSocket(request)`.
 *
 * @throws {BadPathError} If a wildcard segment holds an encoded separator.
 */
export function bindRequest(
  request: Request,
  path: RoutedPath,
): FrameworkRequest {
  const bound = request as FrameworkRequest;
  bound.params = path.params;
  bound.validated = NOTHING_VALIDATED;
  if (path.wildcardStart === -1) forgetWildcard(bound);
  else bound.wildcardParams = path.wildcardParams();
  return bound;
}

/** Makes a request that no route matched a {@linkcode FrameworkRequest}. */
export function bindUnmatched(request: Request): FrameworkRequest {
  const bound = request as FrameworkRequest;
  bound.params = Object.create(null);
  bound.validated = NOTHING_VALIDATED as FrameworkRequest["validated"];
  forgetWildcard(bound);
  return bound;
}

/**
 * A handler may hand its request on to another application. What the wildcard of
 * its own route took is nothing to the routes there.
 */
function forgetWildcard(request: Partial<FrameworkRequest>): void {
  if (request.wildcardParams !== undefined) delete request.wildcardParams;
}
