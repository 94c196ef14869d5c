/**
 * The authority of a URL as it is written (RFC 3986, section 3.2):
 * `user@H.example.:81` in `http://user@H.example.:81/a`; `undefined` where there
 * is none, as in `data:,a`.
 *
 * It is not always what a `URL` makes of it. That passes over the third slash of
 * `http:///h/a`, where this is `""`; and a backslash, which belongs to the
 * authority here, ends that of `http://h\@x/a`, but not that of `foo://h\@x/a`.
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
