import { startTimer } from "../core/common/deadline.ts";
import { RequestState } from "../core/request/record.ts";

/**
 * Ends the event stream or the socket of a request at a signal or a time, such as when
 * the token of the client expires. If the client of a stream reconnects, the guard runs
 * again. Bough closes a socket with 1008. If a request has several expiries, the first
 * expiry counts. Other responses are unaffected.
 *
 * @param request The request of a middleware or a handler.
 * @param end A signal or a time. The timer for a time runs only while a stream or a
 * socket is open, and does not keep the process alive.
 * @param options Bough sends `closeReason` with the code to the client of a socket, cut
 * to 123 bytes of UTF-8. Bough never sends the reason of the signal.
 * @throws {TypeError} If `end` or `closeReason` has the wrong type, or the date is
 * invalid.
 *
 * @example A guard, `api/(account)/middleware.ts`
 * ```ts
 * import { HttpError, type Middleware } from "@bough/framework";
 * import { endOn } from "@bough/framework/live";
 *
 * const sessions = new Map([["s3cret", { expires: Date.now() + 60_000 }]]);
 *
 * const guard: Middleware = (request, next) => {
 *   const session = sessions.get(request.headers.get("x-session") ?? "");
 *   if (session === undefined) throw new HttpError(401);
 *   endOn(request, new Date(session.expires));
 *   return next();
 * };
 *
 * export default guard;
 * ```
 */
export function endOn(
  request: Request,
  end: AbortSignal | Date,
  { closeReason = DEFAULT_CLOSE_REASON }: { readonly closeReason?: string } =
    {},
): void {
  if (!(end instanceof AbortSignal) && !(end instanceof Date)) {
    throw new TypeError(
      "The second argument of endOn() must be an AbortSignal or a Date",
    );
  }
  if (end instanceof Date && Number.isNaN(end.getTime())) {
    throw new TypeError(
      "endOn() got an invalid Date; for a time in seconds, such as the expiry of a token, pass new Date(1000 * seconds)",
    );
  }
  if (typeof closeReason !== "string") {
    throw new TypeError("The closeReason of endOn() must be a string");
  }
  const { all, watches } = expiriesOf(request);
  const when = end instanceof Date ? end.getTime() : end;
  const added: Expiry = { when, closeReason };
  all.push(added);
  // Middleware may call `endOn()` after the handler has opened a stream or a socket.
  for (const watch of watches) watch(added);
}

/** The default reason, which reveals no details of the application. */
const DEFAULT_CLOSE_REASON = "The server ended this connection";

/**
 * Calls `onEnd` at most once, at the first expiry of a request. If this expiry has
 * passed, calls `onEnd` immediately.
 *
 * @param onEnd Receives the reason (the reason of the signal, or a `TimeoutError`) and
 * the close reason for the client.
 * @returns A function that stops watching; call it when the connection has ended.
 */
export function watchExpiries(
  request: Request,
  onEnd: (reason: unknown, closeReason: string) => void,
): () => void {
  const { all, watches } = expiriesOf(request);
  const stopping = new AbortController();
  const { signal } = stopping;
  function stop(): void {
    watches.delete(watch);
    stopping.abort();
  }
  function watch({ when, closeReason }: Expiry): void {
    if (signal.aborted) return;
    function finish(reason: unknown): void {
      stop();
      onEnd(reason, closeReason);
    }
    if (typeof when === "number") watchTime(when, signal, finish);
    else if (when.aborted) finish(when.reason);
    else when.addEventListener("abort", () => finish(when.reason), { signal });
  }
  watches.add(watch);
  all.forEach(watch);
  return stop;
}

interface Expiry {
  /** A signal, or a time in milliseconds since 1970. */
  readonly when: AbortSignal | number;
  readonly closeReason: string;
}

interface Expiries {
  readonly all: Expiry[];
  /** The functions to call with each further expiry. */
  readonly watches: Set<(expiry: Expiry) => void>;
}

const EXPIRIES = new RequestState<Expiries>("expiries");

function expiriesOf(request: Request): Expiries {
  const known = EXPIRIES.find(request);
  if (known !== undefined) return known;
  const expiries: Expiries = { all: [], watches: new Set() };
  EXPIRIES.set(request, expiries);
  return expiries;
}

/** Calls `onEnd` at a time, unless the signal has aborted by then. */
function watchTime(
  time: number,
  signal: AbortSignal,
  onEnd: (reason: unknown) => void,
): void {
  const rest = time - Date.now();
  if (rest <= 0) {
    const message = "The time passed to endOn() was reached";
    return onEnd(new DOMException(message, "TimeoutError"));
  }
  // A token may be valid for longer than the longest timer, and needs another one then.
  const timer = startTimer(() => watchTime(time, signal, onEnd), rest)!;
  // The timer alone must not keep the process alive.
  Deno.unrefTimer(timer);
  signal.addEventListener("abort", () => clearTimeout(timer));
}
