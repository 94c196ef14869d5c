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

/** A cheap test first: the attempt takes microseconds, and few requests upgrade. */
function mayBeUpgraded({ headers }: Request): boolean {
  try {
    return headers.get("upgrade") !== null;
  } catch {
    // An upgrade closes the request; its headers can no longer be read.
    return true;
  }
}

/**
 * The response to a request that failed after its upgrade. It lacks the headers
 * that a client expects, so the client closes the connection.
 */
export function brokenUpgrade(): Response {
  return new Response(null, { status: 101 });
}
