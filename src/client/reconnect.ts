import { LONGEST_DELAY } from "../common/deadline.ts";

/** How long browsers wait, too, where the server does not say, in milliseconds. */
export const DEFAULT_RETRY = 3_000;

/** The most that failed attempts add to the time, in milliseconds. */
const MAX_GROWTH = 30_000;

/**
 * How long to wait before a new connection, in milliseconds. After the first failed
 * attempt it grows, by chance: clients that lost the same server do not come back
 * all at once.
 *
 * @param retry The time after a connection that was open.
 * @param failures How many attempts have failed since then.
 */
export function waitingTime(retry: number, failures: number): number {
  // A time of next to nothing has to grow, too.
  // Without failures it is 0, also where `retry` is too long for a number.
  const growth = failures && Math.max(retry, 100) * (2 ** failures - 1);
  return retry + Math.random() * Math.min(growth, MAX_GROWTH);
}

/**
 * The shortest time before a new connection, in milliseconds, whatever `retry` says: a
 * server that sends one event and ends would be asked hundreds of times a second.
 *
 * @param quickEnds How many connections in a row have ended within a second.
 */
export function shortestTime(quickEnds: number): number {
  return quickEnds && Math.min(10 * 2 ** quickEnds, 1_000);
}

/** Whether another attempt may succeed (RFC 9110, 15.5.9; RFC 6585, 4; RFC 8470). */
export function isTemporary({ status }: Response): boolean {
  return status >= 500 || [408, 425, 429].includes(status);
}

/** What `Retry-After` asks for (RFC 9110, 10.2.3), in milliseconds; 0 if nothing. */
export function retryAfterOf({ headers }: Response): number {
  const value = headers.get("retry-after") ?? "";
  const time = /^\d+$/.test(value)
    ? +value * 1_000
    : Date.parse(value) - Date.now();
  // `NaN`, of an invalid date, is not above 0.
  return time > 0 ? time : 0;
}

/**
 * Waits for work, for a time in milliseconds, until a signal aborts: for what is first.
 *
 * @returns What the work results in, and nothing where it was not the first.
 */
export async function wait<Type = never>(
  milliseconds: number,
  signal: AbortSignal,
  ...work: Promise<Type>[]
): Promise<Type | undefined> {
  const over = Promise.withResolvers<undefined>();
  const stop = () => over.resolve(undefined);
  const timer = setTimeout(stop, Math.min(milliseconds, LONGEST_DELAY));
  signal.addEventListener("abort", stop);
  if (signal.aborted) stop();
  try {
    return await Promise.race([...work, over.promise]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
  }
}
