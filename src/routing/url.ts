/**
 * The authority of a URL as it is written: `user@H.example.:81` in
 * `http://user@H.example.:81/a`; `undefined` where there is none, as in
 * `data:,a`. An empty one, as in `http:///a`, is `""`: a `URL` would pass over
 * the third slash, and take `a` for the host.
 */
export function authorityOf(url: string): string | undefined {
  return BEGINNING.exec(url)?.[1];
}

const BEGINNING = /^[a-z][a-z0-9+.-]*:\/\/([^/\\?#]*)/i;
