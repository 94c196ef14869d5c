/** A new URL for good, or for now; 303 is for "now GET that", 307 and 308 are not. */
export type RedirectStatus = 303 | 307 | 308;

/**
 * Redirects to a path of this site, such as `/api/tasks/1`. Without an origin, the
 * browser takes that of its own request (RFC 9110, 10.2.2), so nobody has to know
 * the scheme and host that a proxy in front has. `Response.redirect` wants both.
 */
export function redirect(path: string, status: RedirectStatus): Response {
  return new Response(null, { status, headers: { location: path } });
}

/**
 * The path of this site that a client names, as in `?next=/api/tasks`.
 *
 * @param fallback Where to lead if it names none, or another site.
 */
export function localPath(next: string | null, fallback: string): string {
  const base = "http://localhost";
  const url = URL.parse(next ?? "", base);
  // Parsed as browsers do it: "/\evil.com" and "/<tab>/evil.com" are other sites.
  if (!next?.startsWith("/") || url?.origin !== base) return fallback;
  const path = url.pathname + url.search + url.hash;
  return path.startsWith("//") ? fallback : path; // of "/.//evil.com"
}
