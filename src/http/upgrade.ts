/**
 * Whether `Deno.upgradeWebSocket(request)` was called. From then on Deno takes
 * nothing but a response with status 101: any other one ends its server.
 *
 * Deno keeps this to itself, but refuses a second upgrade before it looks at
 * anything else. A request without the headers that an upgrade takes cannot be
 * upgraded by asking.
 */
export function isUpgraded(request: Request): boolean {
  // To ask Deno costs microseconds, and hardly any request wants an upgrade.
  if (request.headers.get("upgrade") === null) return false;
  const inert = Object.create(request, { headers: { value: new Headers() } });
  try {
    Deno.upgradeWebSocket(inert);
  } catch (error) {
    return error instanceof Deno.errors.Http;
  }
  return false;
}

/**
 * The response to a request that failed after its upgrade. It lacks the headers
 * that clients wait for, so that they see no socket, and close the connection.
 */
export function brokenUpgrade(): Response {
  return new Response(null, { status: 101 });
}
