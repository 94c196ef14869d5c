/**
 * Whether `Deno.upgradeWebSocket(request)` was called. From then on Deno takes
 * nothing but a response with status 101: any other one ends its server.
 *
 * Deno keeps this to itself, but refuses a second upgrade before it looks at
 * anything else. A request without the headers of an upgrade is never upgraded by
 * asking.
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

/** To ask Deno costs microseconds, and hardly any request wants an upgrade. */
function mayBeUpgraded({ headers }: Request): boolean {
  try {
    return headers.get("upgrade") !== null;
  } catch {
    // An upgrade closes the request: headers that nobody read before are gone.
    return true;
  }
}

/**
 * The response to a request that failed after its upgrade. It lacks the headers
 * that clients wait for, so that they see no socket, and close the connection.
 */
export function brokenUpgrade(): Response {
  return new Response(null, { status: 101 });
}
