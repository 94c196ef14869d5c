import { type ErrorContext, respondToFailure } from "./failure.ts";
import type { Invoke } from "./middleware.ts";
import { mutableResponse } from "./mutable_response.ts";
import type { MiddlewareRequest } from "./request.ts";

/** Where a request carries its error context while middleware runs. */
const CONTEXT = Symbol("error context");

type GuardedRequest = Request & { [CONTEXT]?: ErrorContext };

/** Runs middleware and what lies inside it; errors become responses. */
export async function respondThroughMiddleware(
  guarded: Invoke,
  request: MiddlewareRequest,
  context: ErrorContext,
): Promise<Response> {
  (request as GuardedRequest)[CONTEXT] = context;
  try {
    return await guarded(request);
  } catch (error) {
    return await respondToFailure(error, request, context);
  }
}

/**
 * Makes the response to an error, for middleware that needs it even where `next()`
 * rejects: to add a header to every response, say. The error counts as handled:
 * Bough logs it here, or calls `onError`.
 *
 * @param error What `next()` rejected with.
 * @param request The request of the middleware.
 * @returns The response: that of `onError`, a problem document, or the thrown
 * `Response`. Its headers can be set.
 *
 * @example Usage
 * ```ts
 * import { errorResponse, type Middleware } from "@bough/framework";
 *
 * const stamp: Middleware = async (request, next) => {
 *   const response = await next().catch((error) => errorResponse(error, request));
 *   response.headers.set("x-served-by", "bough");
 *   return response;
 * };
 * ```
 */
export async function errorResponse(
  error: unknown,
  request: Request,
): Promise<Response> {
  const context = (request as GuardedRequest)[CONTEXT] ??
    { place: { pattern: "no route", file: "no file" } };
  return mutableResponse(await respondToFailure(error, request, context));
}

/**
 * The former name of {@linkcode errorResponse}.
 *
 * @deprecated Use {@linkcode errorResponse}.
 */
export const answerError: typeof errorResponse = errorResponse;
