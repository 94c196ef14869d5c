/**
 * Returns a response whose headers can be set: the same one, or a copy if it came
 * from `fetch()`, `Response.redirect()` or `Deno.upgradeWebSocket()`.
 */
export function mutableResponse(response: Response): Response {
  return mayBeImmutable(response) && isImmutable(response)
    ? new Response(response.body, response)
    : response;
}

/** A cheap test first: to look at headers costs time, and few responses need it. */
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
