/** A request path that no route may answer: the client gets a 400. */
export class BadPathError extends URIError {
  override name = "BadPathError";
}

/**
 * Stands for an encoded slash in a routed path. `/packages/@std%2Fhttp` has two
 * segments, so the slash must not look like one that separates; NUL is free for
 * this because a path that holds `%00` is refused.
 */
export const ENCODED_SLASH = "\0";

/**
 * An encoded separator in a routed path. A backslash that was not encoded counts
 * as a slash, and is none any more.
 */
export const ENCODED_SEPARATOR = /[\0\\]/;

/** A path on its way through the router. */
export class RoutedPath {
  /** The path as it is matched: `/api/café`. */
  readonly text: string;
  /** Whether one of its segments holds an encoded separator, `%2F` or `%5C`. */
  readonly hasEncodedSeparator: boolean;
  /**
   * Where its captures are, once it was found: for each dynamic segment, in URL
   * order, its first offset and the one after its last; then the first offset of
   * what a wildcard takes. The next search writes to the same array.
   */
  captures: Int32Array = NO_CAPTURES;

  constructor(text: string, hasEncodedSeparator = false) {
    this.text = text;
    this.hasEncodedSeparator = hasEncodedSeparator;
  }
}

const NO_CAPTURES = new Int32Array();

const AUTHORITY = /^[a-z][a-z0-9+.-]*:\/\/[^/\\?#]*/i;
const NEEDS_URL = /\\|\/(?:\.|%2e){1,2}(?:\/|$)/i;

/**
 * Finds the path by which a request is routed.
 *
 * It is the WHATWG pathname of the URL, its segments percent-decoded once and
 * its empty segments left out: `http://h/api//caf%C3%A9/?x=1` is routed as
 * `/api/café`. `Deno.serve` hands request targets over raw, so dot segments and
 * backslashes do arrive here; only a path that has some is worth a `URL`.
 */
export class PathReader {
  /**
   * How the latest URL began, up to its path: `http://localhost:8000/`. A
   * server mostly sees one such beginning, so that it is parsed only once.
   */
  #origin = "\n";

  /**
   * Reads the routed path of a URL.
   *
   * @throws {BadPathError} If the URL is invalid (a malformed `Host`), or an
   * escape in its path is malformed, no UTF-8, or a NUL.
   */
  read(url: string): RoutedPath {
    const start = url.startsWith(this.#origin)
      ? this.#origin.length - 1
      : this.#findPath(url);

    let plain = url.charCodeAt(start) === SLASH;
    let previous = 0;
    let end = start;
    for (; end < url.length; end++) {
      const code = url.charCodeAt(end);
      if (code === QUESTION_MARK || code === HASH) break;
      if (code === PERCENT || code === BACKSLASH) plain = false;
      if (previous === SLASH && (code === SLASH || code === DOT)) plain = false;
      previous = code;
    }
    if (previous === SLASH && end > start + 1) plain = false;
    if (plain) return new RoutedPath(url.slice(start, end));
    const path = normalize(url, start, end);
    return new RoutedPath(path, ENCODED_SEPARATOR.test(path));
  }

  #findPath(url: string): number {
    if (!URL.canParse(url)) {
      throw new BadPathError(
        "The URL of the request, or its Host, is malformed",
      );
    }
    const authority = AUTHORITY.exec(url)?.[0];
    // A URL such as `data:,x` has no authority, but a path all the same.
    if (authority === undefined) return url.indexOf(":") + 1;
    // The slash belongs to what is remembered: `http://h` begins `http://h:81`.
    const origin = authority + "/";
    if (url.startsWith(origin)) this.#origin = origin;
    return authority.length;
  }
}

const SLASH = 0x2f;
const BACKSLASH = 0x5c;
const DOT = 0x2e;
const PERCENT = 0x25;
const QUESTION_MARK = 0x3f;
const HASH = 0x23;

function normalize(url: string, start: number, end: number): string {
  let path = url.slice(start, end);
  if (NEEDS_URL.test(path)) path = new URL(url).pathname;
  const segments = path.split("/").filter((segment) => segment !== "");
  return "/" + segments.map(decode).join("/");
}

function decode(segment: string): string {
  if (!segment.includes("%")) return segment;
  let decoded;
  try {
    decoded = decodeURIComponent(segment);
  } catch {
    throw new BadPathError("A percent escape in the path is malformed");
  }
  if (decoded.includes("\0")) {
    throw new BadPathError("The path holds an encoded NUL");
  }
  return decoded.replaceAll("/", ENCODED_SLASH);
}
