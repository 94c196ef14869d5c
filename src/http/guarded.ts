import { type Failing, respondToFailure } from "./failure.ts";
import type { Invoke, MiddlewareRequest } from "./middleware.ts";

/** How a request that middleware runs around is answered if it fails. */
const FAILING = Symbol("failing");

type GuardedRequest = Request & { [FAILING]?: Failing };

/** Runs middleware around a request, and responds to what fails in it. */
export async function respondGuarded(
  guarded: Invoke,
  request: MiddlewareRequest,
  failing: Failing,
): Promise<Response> {
  (request as GuardedRequest)[FAILING] = failing;
  try {
    return await guarded(request);
  } catch (error) {
    return await respondToFailure(error, request, failing);
  }
}

/**
 * The answer that Bough gives to an error, for a middleware that needs the
 * response even if `next()` rejects, say to add headers to all that is sent. The
 * error counts as answered: it is logged here, or handed to `onError`.
 *
 * @param error What `next()` rejected with.
 * @param request The request of the middleware.
 * @returns The response: that of `onError`, a problem document, or a thrown
 * `Response` as it is.
 *
 * @example Usage
 * ```ts
 * import { answerError, type Middleware } from "@bough/framework";
 *
 * const stamp: Middleware = async (request, next) => {
 *   const response = await next().catch((error) => answerError(error, request));
 *   response.headers.set("x-served-by", "bough");
 *   return response;
 * };
 * ```
 */
export function answerError(
  error: unknown,
  request: Request,
): Promise<Response> {
  const failing = (request as GuardedRequest)[FAILING] ??
    { place: { pattern: "no route", file: "no file" } };
  return respondToFailure(error, request, failing);
}
