import type { Handler } from "./request.ts";

const IS_FRESH = Symbol("is fresh");

type WatchedRequest = Request & { [IS_FRESH]?: boolean };

/**
 * Wraps what responds to requests of a socket, for {@linkcode whilePresent}: until it
 * returns, nobody has waited for anything.
 */
export function markingFresh<
  Rest extends readonly unknown[],
  Result,
>(
  respond: (request: Request, ...rest: Rest) => Result,
): (request: Request, ...rest: Rest) => Result {
  return (request, ...rest) => {
    const watched: WatchedRequest = request;
    watched[IS_FRESH] = true;
    try {
      return respond(request, ...rest);
    } finally {
      watched[IS_FRESH] = false;
    }
  };
}

/**
 * Wraps a handler that opens a socket: it does not run if the client left while a
 * middleware or a schema waited for something.
 *
 * Deno 2.9.6 never lets go of a connection that is upgraded after its client has left:
 * each costs 24 KB and a file descriptor, and `server.shutdown()` waits for it. Only
 * `request.signal` tells, in a later turn of the event loop, and the first look at it
 * in a process makes Deno print a warning. So it is looked at where somebody waited.
 */
export function whilePresent(handler: Handler): Handler {
  return (request) =>
    (request as WatchedRequest)[IS_FRESH] ||
      request.headers.get("upgrade") === null
      ? handler(request)
      : assertPresent(request).then(() => handler(request));
}

/** Rejects with the error of a request whose client has left. */
async function assertPresent({ signal }: Request): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve));
  signal.throwIfAborted();
}
