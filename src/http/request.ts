import type { RoutedPath } from "../routing/pathname.ts";
import type { RoutePattern } from "../routing/pattern.ts";
import type { MethodSchema, Validated } from "./schema.ts";

/**
 * The one argument of every handler: the very web `Request` that `Deno.serve`
 * made, with what the router found in its path and what validation let through.
 *
 * Give it the schema of its method, and `validated` is typed by it.
 *
 * @typeParam Schema The schemas of the method, such as `typeof schema.post`.
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
 *   request: FrameworkRequest<typeof schema.post>,
 * ): Response {
 *   const { title } = request.validated.body; // a string
 *   return Response.json({ title }, { status: 201 });
 * }
 * ```
 */
export interface FrameworkRequest<Schema extends MethodSchema = MethodSchema>
  extends Request {
  /**
   * The values of the dynamic segments, by folder name: for
   * `users/[id]/route.ts` and `/api/users/42` it is `{ id: "42" }`. It inherits
   * nothing, so no key but those of the folders has a value.
   */
  params: Record<string, string>;
  /**
   * The segments that `[...]` captured, decoded, in URL order. They are never
   * empty, `.` or `..` and hold no separator. Absent without a wildcard.
   */
  wildcardParams?: string[];
  /** What the route's schema let through: its outputs, part by part. */
  validated: Validated<Schema>;
}

/**
 * A handler: what a route file exports under the name of a method. Annotate an
 * export with it, and a wrong return type is found by `deno check`.
 *
 * @typeParam Schema The schemas of the method, such as `typeof schema.get`.
 *
 * @example Usage
 * ```ts
 * import type { Handler } from "@bough/framework";
 *
 * export const GET: Handler = (request) => Response.json(request.params);
 * ```
 */
export type Handler<Schema extends MethodSchema = MethodSchema> = (
  request: FrameworkRequest<Schema>,
) => Response | Promise<Response>;

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
  pattern: RoutePattern,
  path: RoutedPath,
): FrameworkRequest {
  const bound = request as FrameworkRequest;
  bound.params = pattern.params(path);
  bound.validated = NOTHING_VALIDATED;
  if (pattern.hasWildcard) bound.wildcardParams = pattern.wildcardParams(path);
  return bound;
}
