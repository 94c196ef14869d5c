import { startTimer } from "../common/deadline.ts";
import { RequestState } from "../record/request_state.ts";

/**
 * Ends the event stream or the socket of a request when a signal aborts, or at a time:
 * say, when the token expires with which a guard let it in. A stream ends, and its
 * client may reconnect, which asks the guard again; a socket is closed with 1008.
 * Of several ends, the first counts. Other responses are not touched.
 *
 * @param request The request, as a middleware or a handler has it.
 * @param end A signal, or a time. A time may be of any request: its timer runs only
 * while a stream or a socket is open, and does not keep the process alive.
 * @param options `closeReason` is the text that the client of a socket gets with the
 * code, cut to 123 bytes of UTF-8; the reason of the signal is never sent.
 * @throws {TypeError} If `end` is neither, or an invalid date, or `closeReason` is not
 * a string.
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
      "endOn() takes an AbortSignal or a Date as its second argument, and got neither",
    );
  }
  if (end instanceof Date && Number.isNaN(end.getTime())) {
    throw new TypeError(
      "endOn() got an invalid Date; a time in seconds, such as that of a token, is new Date(1000 * seconds)",
    );
  }
  if (typeof closeReason !== "string") {
    throw new TypeError("endOn() takes a string as its closeReason");
  }
  const { all, watches } = endsOf(request);
  const when = end instanceof Date ? end.getTime() : end;
  const added: End = { when, closeReason };
  all.push(added);
  // A middleware may say so after the handler has opened a stream or a socket.
  for (const watch of watches) watch(added);
}

/** Nothing of the application, unless it says so. */
const DEFAULT_CLOSE_REASON = "The server ended this connection";

/**
 * Calls back, at most once, when the first end of a request comes; at once if it has
 * come already.
 *
 * @param onEnd Gets the reason, that of the signal or a `TimeoutError`, and the text
 * for the client.
 * @returns A function that stops watching, to call when the connection is over.
 */
export function watchEnds(
  request: Request,
  onEnd: (reason: unknown, closeReason: string) => void,
): () => void {
  const { all, watches } = endsOf(request);
  const stops: (() => void)[] = [];
  let isOver = false;
  function stop(): void {
    isOver = true;
    watches.delete(watch);
    for (const each of stops.splice(0)) each();
  }
  function watch({ when, closeReason }: End): void {
    if (isOver) return;
    function finish(reason: unknown): void {
      stop();
      onEnd(reason, closeReason);
    }
    stops.push(
      typeof when === "number"
        ? watchTime(when, finish)
        : watchSignal(when, finish),
    );
  }
  watches.add(watch);
  all.forEach(watch);
  return stop;
}

/** An end of a stream or a socket. */
interface End {
  /** A signal, or a time in milliseconds since 1970. */
  readonly when: AbortSignal | number;
  /** The reason that a client gets with the code. */
  readonly closeReason: string;
}

/** What ends the stream or the socket of a request. */
interface Ends {
  readonly all: End[];
  /** Those who watch, and hear of each further end. */
  readonly watches: Set<(end: End) => void>;
}

const ENDS = new RequestState<Ends>("ends");

function endsOf(request: Request): Ends {
  const known = ENDS.find(request);
  if (known !== undefined) return known;
  const ends: Ends = { all: [], watches: new Set() };
  ENDS.set(request, ends);
  return ends;
}

function watchSignal(
  signal: AbortSignal,
  onEnd: (reason: unknown) => void,
): () => void {
  const onAbort = () => onEnd(signal.reason);
  if (signal.aborted) onAbort();
  else signal.addEventListener("abort", onAbort, { once: true });
  return () => signal.removeEventListener("abort", onAbort);
}

function watchTime(time: number, onEnd: (reason: unknown) => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  // No timer is as long as some tokens last, so it is set again.
  function wait(): void {
    const rest = time - Date.now();
    if (rest > 0) {
      timer = startTimer(wait, rest);
      // The timer alone must not keep the process alive.
      Deno.unrefTimer(timer!);
    } else {
      const message = "The time that endOn() was given is over";
      onEnd(new DOMException(message, "TimeoutError"));
    }
  }
  wait();
  return () => clearTimeout(timer);
}
