import { HttpError } from "../errors.ts";
import type { Handler } from "../types/request.ts";
import { recordOf } from "../record/record.ts";

/**
 * Whether `Deno.upgradeWebSocket(request)` was called. After that, only a response
 * with status 101 may be sent: any other one ends Deno's server.
 *
 * Deno does not show this, but refuses a second upgrade before it looks at anything
 * else. So this tries one, on a request without the headers of an upgrade, which
 * can never succeed.
 */
export function isUpgraded(request: Request): boolean {
  if (!mayBeUpgraded(request)) return false;
  const inert = Object.create(request, { headers: { value: new Headers() } });
  try {
    Deno.upgradeWebSocket(inert);
  } catch (error) {
    return error instanceof Deno.errors.Http;
  }
  return false;
}

/**
 * Wraps a handler that opens a socket.
 *
 * - It does not run if the client left while a middleware or a schema waited for
 *   something. Deno 2.9.6 never lets go of a connection that is upgraded after its client
 *   has left: each costs 24 KB and a file descriptor, and `server.shutdown()` waits for
 *   it. Only `request.signal` tells, in a later turn of the event loop, and the first look
 *   at it in a process makes Deno print a warning. So it is looked at where somebody
 *   waited.
 * - Another response in place of the upgrade becomes an error, since it would end Deno's
 *   server for all clients.
 */
export function openingSocket(handler: Handler): Handler {
  return async (request) => {
    if (!recordOf(request)?.isFresh && mayBeUpgraded(request)) {
      // Deno aborts it in a turn after the first look at it.
      const { signal } = request;
      await new Promise((resolve) => setTimeout(resolve));
      signal.throwIfAborted();
    }
    const response = await handler(request);
    if (response?.status === 101 || !isUpgraded(request)) return response;
    throw new TypeError(
      "A handler returned another response in place of an upgrade; return that of socket()",
    );
  };
}

/** A cheap test first: the attempt takes microseconds, and few requests upgrade. */
function mayBeUpgraded({ headers }: Request): boolean {
  try {
    return headers.get("upgrade") !== null;
  } catch {
    // An upgrade closes the request; its headers can no longer be read.
    return true;
  }
}

/** How the error of `Deno.upgradeWebSocket()` names the header that is at fault. */
const REFUSAL = /^Invalid Header: '([a-z-]+)' header must /;

/**
 * The error for the client where `Deno.upgradeWebSocket()` refused a request that
 * asks for no upgrade: 426 (RFC 9110, 15.5.22), or 400 where the upgrade lacks its key
 * (RFC 6455, 4.2.1). `undefined` for every other error, and where the request has what
 * it needs: then the handler passed another one.
 */
export function refusedUpgrade(
  error: unknown,
  { headers }: Request,
): HttpError | undefined {
  try {
    if (!(error instanceof TypeError)) return undefined;
    const name = REFUSAL.exec(error.message)?.[1];
    if (name === undefined || isSound(name, headers.get(name))) {
      return undefined;
    }
    return name === "sec-websocket-key"
      ? new HttpError(400, `The upgrade lacks the header "${name}"`, {
        cause: error,
      })
      : upgradeRequired("Open a WebSocket here", { cause: error });
  } catch {
    // A value that throws when it is looked at.
    return undefined;
  }
}

/** The error for a request that opens no WebSocket: 426 (RFC 9110, 15.5.22). */
export function upgradeRequired(
  detail: string,
  { headers, cause }: {
    readonly headers?: Readonly<Record<string, string>>;
    readonly cause?: unknown;
  } = {},
): HttpError {
  return new HttpError(426, detail, {
    headers: { upgrade: "websocket", connection: "upgrade", ...headers },
    cause,
  });
}

/** Whether a header is what an upgrade to a WebSocket needs. */
function isSound(name: string, value: string | null): boolean {
  const wanted = { upgrade: "websocket", connection: "upgrade" }[name];
  return wanted === undefined ? value !== null : listsToken(value, wanted);
}

/** Whether the value of a header lists a token, in whatever case. */
export function listsToken(value: string | null, token: string): boolean {
  const tokens = value?.toLowerCase().split(",") ?? [];
  return tokens.some((each) => each.trim() === token);
}

/**
 * The response to a request that failed after its upgrade. It lacks the headers
 * that a client expects, so the client closes the connection. One that does not look
 * at them must not have a socket either: a middleware may have refused it.
 */
export function brokenUpgrade(request: Request): Response {
  recordOf(request)?.onBrokenUpgrade?.();
  return new Response(null, { status: 101 });
}
