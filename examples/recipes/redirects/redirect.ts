/** 303 makes the client send a GET; 307 (temporary) and 308 (permanent) keep the method. */
export type RedirectStatus = 303 | 307 | 308;

/**
 * Redirects to a path of this site, such as `/api/tasks/1`. The browser adds the
 * origin of its own request (RFC 9110, 10.2.2), so the program does not need the
 * scheme and host of a proxy in front. `Response.redirect` requires both.
 */
export function redirect(path: string, status: RedirectStatus): Response {
  return new Response(null, { status, headers: { location: path } });
}

/**
 * The path of this site that a client names, as in `?next=/api/tasks`.
 *
 * @param fallback The path to use if the client names no path, or another site.
 */
export function localPath(next: string | null, fallback: string): string {
  const base = "http://localhost";
  const url = URL.parse(next ?? "", base);
  // Parses URLs as browsers do: "/\evil.com" and "/<tab>/evil.com" are other sites.
  if (!next?.startsWith("/") || url?.origin !== base) return fallback;
  const path = url.pathname + url.search + url.hash;
  return path.startsWith("//") ? fallback : path; // of "/.//evil.com"
}
