import { HttpError } from "../errors.ts";
import { logError } from "../log_error.ts";
import { clientFault } from "./body.ts";
import { problem, problemOf } from "./problem.ts";
import { assertUsable } from "./response.ts";
import { traceFailure } from "./telemetry.ts";

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
  // Nothing thrown is no reading's fault, and a promise of what is thrown would
  // look for its `then`, which may throw.
  const fault = thrown === undefined
    ? undefined
    : await clientFault(thrown, request).catch(() => undefined);
  let error = fault ?? thrown;
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
  traceFailure(error);
  logError(
    `${request.method} ${place.pattern} (${place.file}) failed:`,
    error,
  );
}
