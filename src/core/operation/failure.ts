import { readFault } from "../request/content.ts";
import { log } from "../common/log.ts";
import { isAbort } from "../common/values.ts";
import {
  assertErrorStatus,
  type ErrorParts,
  HttpError,
  problem,
} from "../errors.ts";
import { OWN_ERRORS } from "../own_errors.ts";
import { assertResponse, mutableResponse } from "../common/response.ts";
import { recordOf, requestPlace, RequestState } from "../request/record.ts";
import type { Operation } from "../request/application.ts";
import { brokenUpgrade, isUpgraded, refusedUpgrade } from "./upgrade.ts";

/**
 * Returns the response to a thrown value: a thrown `Response` itself, the problem
 * document of an `HttpError`, or status 500 for any other value. The response with
 * status 500 has no details; the log shows the error and its route.
 */
export async function respondToFailure(
  thrown: unknown,
  request: Request,
): Promise<Response> {
  recordOf(request)?.operation?.application.observer.failed?.(request, thrown);
  // A handler may pass `request.signal` to `fetch`. After a disconnect, the error is
  // expected, and the response is not sent. The signal is read only after such an error,
  // since the first read costs time and makes Deno print a warning.
  const isDisconnected = isAbort(thrown) && request.signal.aborted;
  const wasUpgraded = isUpgraded(request);
  const response = isDisconnected
    ? problem(OWN_ERRORS.ServerError)
    : await failureResponse(thrown, request, wasUpgraded);
  // `onError` may upgrade the request itself, and then fail.
  return wasUpgraded || (response.status !== 101 && isUpgraded(request))
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

/**
 * @param wasUpgraded Whether no response can be sent, so that every error that `onError`
 * does not handle is logged.
 */
async function failureResponse(
  thrown: unknown,
  request: Request,
  wasUpgraded: boolean,
): Promise<Response> {
  // The program may pass the request on before `onError` has ended.
  const operation = recordOf(request)?.operation;
  let error = wasUpgraded
    ? thrown
    : readFault(thrown, request) ?? refusedUpgrade(thrown, request) ?? thrown;
  try {
    if (error instanceof Response && !wasUpgraded) return error;
    const response = await callOnError(error, request, operation);
    if (response !== undefined) return assertResponse(response, "onError");
    if (error instanceof HttpError && !wasUpgraded) {
      assertErrorStatus(error);
      return await respondToError(error, request, operation);
    }
  } catch (failure) {
    // `onError` failed, too, so log both errors.
    logFailure(error, request, operation);
    error = failure;
  }
  logFailure(error, request, operation);
  return await respondToError(OWN_ERRORS.ServerError, request, operation);
}

/** The requests whose `onError` runs; it may get Bough's response by `errorResponse()`. */
const handled = new WeakSet<Request>();

async function callOnError(
  error: unknown,
  request: Request,
  operation: Operation | undefined,
): Promise<Response | void> {
  const { onError } = operation?.application ?? {};
  if (onError === undefined || handled.has(request)) return;
  handled.add(request);
  try {
    return await onError(error, request);
  } finally {
    handled.delete(request);
  }
}

/** Responds with an error in the format of the route or folder. */
function respondToError(
  error: ErrorParts,
  request: Request,
  operation: Operation | undefined,
): Response | Promise<Response> {
  return operation?.errors?.respond(error, request) ??
    problem(error, (fault) => logFailure(fault, request, operation));
}

/** The errors that several requests share, and whether each error was logged. */
const shared = new WeakMap<object, boolean>();

/** Ensures that an error is logged once, even if many requests fail with it. */
export function logOnlyOnce(error: unknown): void {
  if (error instanceof Error) shared.set(error, false);
}

/** Logs one error with its request and operation, and adds it to the trace. */
function logFailure(
  error: unknown,
  request: Request,
  operation: Operation | undefined,
): void {
  const isLogged = shared.get(error as object);
  if (isLogged) return;
  if (isLogged === false) shared.set(error as object, true);
  operation?.application.observer.logged?.(error);
  log({ level: "error", place: requestPlace(request, operation), error });
}

/**
 * Creates the response to an error, for middleware that changes every response, for
 * example by adding a header. The error counts as handled: Bough logs it or calls
 * `onError`.
 *
 * @param error The error that `next()` rejected with.
 * @param request The request of the middleware.
 * @returns The response of `onError`, a problem document, or the thrown `Response`.
 * Its headers are mutable. Within `onError`, it is the response of Bough.
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
  return mutableResponse(await respondToFailure(error, request));
}
