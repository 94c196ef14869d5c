/**
 * A response whose headers can be set: the same one, or a copy of what `fetch()`,
 * `Response.redirect()` or `Deno.upgradeWebSocket()` made, since theirs cannot.
 */
export function mutableResponse(response: Response): Response {
  return mayBeImmutable(response) && isImmutable(response)
    ? new Response(response.body, response)
    : response;
}

/** Looking at headers costs, and most responses cannot be one of these. */
function mayBeImmutable({ status, url }: Response): boolean {
  return url !== "" || status === 101 || (status > 300 && status < 309);
}

function isImmutable({ headers }: Response): boolean {
  try {
    headers.delete("x-bough-probe");
    return false;
  } catch {
    return true;
  }
}
