import { type HttpError, InvalidRequest } from "../errors.ts";
import { ownError } from "../own_errors.ts";
import type { Handler } from "../types/request.ts";
import { headerOf } from "../request/inner_request.ts";
import { recordOf } from "../request/record.ts";

/**
 * Whether `Deno.upgradeWebSocket(request)` was called. After that, only a response
 * with status 101 may be sent: any other response ends Deno's server.
 *
 * Deno does not expose this state, but rejects a second upgrade before any other check.
 * The function therefore attempts an upgrade without headers, which always fails, and
 * reads the error.
 */
export function isUpgraded(request: Request): boolean {
  return mayBeUpgraded(request) &&
    upgradeFault(request, new Headers()) instanceof Deno.errors.Http;
}

/** The error of an upgrade with other headers, which must be invalid. */
function upgradeFault(request: Request, headers: Headers): unknown {
  const inert = Object.create(request, { headers: { value: headers } });
  try {
    Deno.upgradeWebSocket(inert);
  } catch (error) {
    return error;
  }
}

/**
 * Wraps a handler that opens a socket.
 *
 * - The handler does not run if the client disconnected while middleware or a schema
 *   awaited a promise. Deno 2.9.6 never releases a connection that is upgraded after a
 *   disconnect. Each such connection costs 24 KB and a file descriptor, and
 *   `server.shutdown()` waits for the connection. Only `request.signal` reports the
 *   disconnect, in a later turn of the event loop. The first read of a signal in a
 *   process makes Deno print a warning, so the wrapper reads the signal only after an
 *   `await`.
 * - A response that replaces the upgrade becomes an error, since it would end Deno's
 *   server for all clients.
 */
export function openingSocket(handler: Handler): Handler {
  return async (request) => {
    if (!recordOf(request)?.isFresh && mayBeUpgraded(request)) {
      // Deno aborts the signal only in a turn after the first read of the signal.
      const { signal } = request;
      await new Promise((resolve) => setTimeout(resolve));
      signal.throwIfAborted();
    }
    const response = await handler(request);
    if (response?.status === 101 || !isUpgraded(request)) return response;
    throw new TypeError(
      "A handler replaced the upgrade response; return the response of socket()",
    );
  };
}

/**
 * Whether a request may be upgraded. This cheap test comes first, since an attempt
 * takes microseconds and few requests are upgraded.
 */
function mayBeUpgraded(request: Request): boolean {
  try {
    return headerOf(request, "upgrade") !== null;
  } catch {
    // The headers cannot be read after an upgrade, which closes the request.
    return true;
  }
}

/**
 * Turns an error of `Deno.upgradeWebSocket()` into the error for the client. The status
 * is 426 if the request does not ask for an upgrade (RFC 9110, 15.5.22). The status is
 * 400 if the upgrade lacks its key (RFC 6455, 4.2.1). Returns `undefined` for every
 * other error, and if the headers are valid, since the handler then upgraded another
 * request.
 */
export function refusedUpgrade(
  error: unknown,
  request: Request,
): HttpError | undefined {
  if (!(error instanceof TypeError)) return undefined;
  const headers = new Headers(request.headers);
  const asks = listsToken(headers.get("upgrade"), "websocket") &&
    listsToken(headers.get("connection"), "upgrade");
  if (asks && headers.get(KEY) !== null) return undefined;
  // The error has no other mark. Deno refuses the same headers with the same message.
  headers.delete(KEY);
  const refusal = upgradeFault(request, headers);
  if (!(refusal instanceof TypeError) || refusal.message !== error.message) {
    return undefined;
  }
  return asks
    ? new InvalidRequest(`The upgrade lacks the header "${KEY}"`, {
      cause: error,
    })
    : ownError("UpgradeRequired", undefined, { cause: error });
}

const KEY = "sec-websocket-key";

/** Whether the value of a header lists a token, ignoring case. */
export function listsToken(value: string | null, token: string): boolean {
  const tokens = value?.toLowerCase().split(",") ?? [];
  return tokens.some((each) => each.trim() === token);
}

/**
 * The response to a request that failed after its upgrade. The response lacks the
 * headers that clients expect, so the client closes the connection. For clients that
 * ignore missing headers, `onBrokenUpgrade` also closes the socket, since middleware
 * may have rejected the client.
 */
export function brokenUpgrade(request: Request): Response {
  recordOf(request)?.onBrokenUpgrade?.();
  return new Response(null, { status: 101 });
}
