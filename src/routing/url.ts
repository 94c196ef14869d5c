/**
 * The authority of a URL as written (RFC 3986, section 3.2): `user@H.example.:81` in
 * `http://user@H.example.:81/a`; `undefined` if there is none, as in `data:,a`.
 *
 * A `URL` may read another one. For `http:///h/a`, this returns `""`, while a `URL`
 * skips the third slash. For `http://h\@x/a`, this returns `h\@x`, while a `URL` ends
 * the authority at the backslash.
 */
export function authorityOf(url: string): string | undefined {
  return BEGINNING.exec(url)?.[1];
}

const BEGINNING = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i;

/**
 * The path of a URL as it is written, without its query: `/a//b` in
 * `http://h/a//b?c`, and `/` where there is none. A backslash counts as a slash,
 * as `URL` has it for HTTP: the path of `http://h\a` is `\a`.
 */
export function rawPathOf(url: string): string {
  return PATH.exec(url)?.[1] || "/";
}

const PATH = /^[a-z][a-z0-9+.-]*:\/\/[^/\\?#]*([^?#]*)/i;
