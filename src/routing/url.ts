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
