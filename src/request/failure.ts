import { readFault } from "../body/read.ts";
import { logError } from "../common/log.ts";
import { isA, isAbort } from "../common/values.ts";
import {
  assertErrorStatus,
  type ErrorParts,
  HttpError,
  problem,
} from "../errors.ts";
import { assertUsable, mutableResponse } from "../response.ts";
import { type Place, placeText, recordOf } from "../record/record.ts";
import { RequestState } from "../record/request_state.ts";
import { brokenUpgrade, isUpgraded, refusedUpgrade } from "./upgrade.ts";

/**
 * Returns the response to a thrown value: a thrown `Response` itself, the problem
 * document of an `HttpError`, or status 500 for any other value. The response with
 * status 500 has no details; the log shows the error and its route.
 */
export async function respondToFailure(
  thrown: unknown,
  request: Request,
  place: Place | undefined,
): Promise<Response> {
  // After a disconnect, the error is expected, and the response is not sent.
  const isDisconnected = failedByDisconnect(thrown, request);
  if (isUpgraded(request)) {
    if (!isDisconnected) await reportBrokenUpgrade(thrown, request, place);
    return brokenUpgrade(request);
  }
  if (isDisconnected) return problem({ status: 500 });
  const response = await failureResponse(thrown, request, place);
  // `onError` may upgrade the request itself, and then fail.
  return response.status !== 101 && isUpgraded(request)
    ? brokenUpgrade(request)
    : withFailureHeaders(response, request);
}

const failureHeaders = new RequestState<readonly Header[]>("failure headers");

/** The name and the value of a header. */
export type Header = readonly [name: string, value: string];

/**
 * Adds headers to the response to an error that a middleware throws on. An outer
 * middleware may still convert the error.
 */
export function addFailureHeaders(
  request: Request,
  headers: readonly Header[],
): void {
  const inner = failureHeaders.find(request) ?? [];
  failureHeaders.set(request, [...inner, ...headers]);
}

function withFailureHeaders(response: Response, request: Request): Response {
  const headers = failureHeaders.find(request);
  if (headers === undefined) return response;
  // An outer middleware may throw again, after it has called `errorResponse()`.
  failureHeaders.set(request, []);
  const mutable = mutableResponse(response);
  for (const [name, value] of headers) mutable.headers.append(name, value);
  return mutable;
}

async function failureResponse(
  thrown: unknown,
  request: Request,
  place: Place | undefined,
): Promise<Response> {
  let error = readFault(thrown, request) ?? refusedUpgrade(thrown, request) ??
    thrown;
  try {
    if (isA(error, Response)) return assertUsable(error);
    const { onError } = place?.application ?? {};
    const response = await onError?.(error, request);
    if (response !== undefined) return assertUsable(response);
    if (isA(error, HttpError)) {
      assertErrorStatus(error);
      return await respondToError(error, request, place);
    }
  } catch (failure) {
    // `onError` failed too, or the response cannot be sent: log both errors.
    if (!isA(error, Response)) logFailure(error, request, place);
    error = failure;
  }
  logFailure(error, request, place);
  return await respondToError({ status: 500 }, request, place);
}

/** Responds with an error in the format of the route or folder. */
export function respondToError(
  error: ErrorParts,
  request: Request,
  place: Place | undefined,
): Response | Promise<Response> {
  return place?.application.errors?.respond(error, request) ??
    problem(error, (fault) => logFailure(fault, request, place));
}

/** Lets `onError` log an error after an upgrade; Bough cannot send a response. */
async function reportBrokenUpgrade(
  error: unknown,
  request: Request,
  place: Place | undefined,
): Promise<void> {
  const { onError } = place?.application ?? {};
  try {
    if (await onError?.(error, request) !== undefined) return;
  } catch (failure) {
    logFailure(failure, request, place);
  }
  logFailure(error, request, place);
}

/**
 * Whether a handler failed because the client disconnected, for example if the handler
 * passed `request.signal` to `fetch`. The signal is read only after an error of this
 * kind, since the first read costs time and makes Deno print a warning.
 */
function failedByDisconnect(error: unknown, request: Request): boolean {
  return isAbort(error) && request.signal.aborted;
}

/** The errors that several requests share, and whether each error was logged. */
const shared = new WeakMap<object, boolean>();

/** Ensures that an error is logged once, even if many requests fail with it. */
export function logOnlyOnce(error: unknown): void {
  if (isA(error, Error)) shared.set(error, false);
}

/** Logs one error with its request and place, and adds it to the trace. */
function logFailure(
  error: unknown,
  request: Request,
  place: Place | undefined,
): void {
  const isLogged = shared.get(error as object);
  if (isLogged) return;
  if (isLogged === false) shared.set(error as object, true);
  place?.application.tracer?.traceFailure(error);
  logError(
    `${placeText(request, place)} failed:`,
    error,
  );
}

/**
 * Creates the response to an error, for middleware that changes every response, for
 * example by adding a header. The error counts as handled: Bough logs it or calls
 * `onError`.
 *
 * @param error The error that `next()` rejected with.
 * @param request The request of the middleware.
 * @returns The response of `onError`, a problem document, or the thrown `Response`.
 * Its headers are mutable.
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
  const place = recordOf(request)?.place;
  return mutableResponse(await respondToFailure(error, request, place));
}
