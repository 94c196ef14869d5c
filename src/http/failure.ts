import { HttpError } from "./http_error.ts";
import { logError } from "../common/log_error.ts";
import { clientFault } from "./body/client_fault.ts";
import { problem, problemOf } from "./problem.ts";
import { assertUsable } from "./response.ts";
import { traceFailure } from "./telemetry.ts";
import { brokenUpgrade, isUpgraded } from "./upgrade.ts";

/**
 * Is called with what a handler threw and the request it threw on. It may log,
 * and it may return the answer.
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

/** Where a request failed, for the log. */
export interface Place {
  /** The URL pattern of the route. */
  readonly pattern: string;
  /** The route file. */
  readonly file: string;
}

/** What is needed to answer a failure. */
export interface Failing {
  /** Where it happened. */
  readonly place: Place;
  /** The application's own error handler. */
  readonly onError?: ErrorHandler | undefined;
}

/**
 * Answers what a handler threw: a `Response` as it is, an `HttpError` as its
 * problem, anything else with a 500 that tells the client nothing and a log
 * line that tells the developer where.
 */
export async function respondToFailure(
  thrown: unknown,
  request: Request,
  { place, onError }: Failing,
): Promise<Response> {
  // Nobody reads this answer, and nobody is to blame.
  if (isClientGone(thrown, request)) return problem(500);
  if (isUpgraded(request)) {
    await tellBrokenUpgrade(thrown, request, { place, onError });
    return brokenUpgrade();
  }
  let error = clientFault(thrown) ?? thrown;
  try {
    if (isA(error, Response)) return assertUsable(error);
    const answer = await onError?.(error, request);
    if (answer !== undefined) return assertUsable(answer);
    if (isA(error, HttpError)) return problemOf(error);
  } catch (failure) {
    // `onError` itself failed, or there was nothing sound to send: tell both.
    if (!isA(error, Response)) logFailure(error, request, place);
    error = failure;
  }
  logFailure(error, request, place);
  return problem(500);
}

/** Lets `onError` log what failed after an upgrade; its response has no use. */
async function tellBrokenUpgrade(
  error: unknown,
  request: Request,
  { place, onError }: Failing,
): Promise<void> {
  try {
    if (await onError?.(error, request) !== undefined) return;
  } catch (failure) {
    logFailure(failure, request, place);
  }
  logFailure(error, request, place);
}

/**
 * Whether a handler that passed on `request.signal`, say to `fetch`, failed
 * because the client went away. The signal is looked at only after such an
 * error: the first look at it costs, and makes Deno print a warning.
 */
function isClientGone(error: unknown, request: Request): boolean {
  try {
    return error instanceof DOMException && error.name === "AbortError" &&
      request.signal.aborted;
  } catch {
    // A value that throws when it is looked at.
    return false;
  }
}

/** Errors that several requests fail with, and whether they were logged. */
const shared = new WeakMap<object, boolean>();

/** Has an error logged only once that several requests will fail with. */
export function logOnlyOnce(error: unknown): void {
  if (isA(error, Error)) shared.set(error, false);
}

/** Like `instanceof`, which throws for a revoked proxy: that is of no class. */
function isA<Value>(
  value: unknown,
  type: new (...args: never[]) => Value,
): value is Value {
  try {
    return value instanceof type;
  } catch {
    return false;
  }
}

/** Logs and traces one failure with what is needed to find it. */
export function logFailure(
  error: unknown,
  request: Request,
  place: Place,
): void {
  const isLogged = shared.get(error as object);
  if (isLogged) return;
  if (isLogged === false) shared.set(error as object, true);
  traceFailure(error);
  logError(
    `${request.method} ${place.pattern} (${place.file}) failed:`,
    error,
  );
}
