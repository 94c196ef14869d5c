/** The error for a malformed or unsafe request path; Bough responds with 400. */
export class BadPathError extends URIError {
  override name = "BadPathError";
}

/**
 * The character that replaces an encoded slash in a routed path.
 * `/packages/@std%2Fhttp` has two segments, so its `%2F` must not look like a
 * separator. NUL is free for this purpose, since Bough rejects a path with `%00`.
 */
export const ENCODED_SLASH = "\0";

/**
 * Matches an encoded separator in a routed path. A backslash in a routed path was
 * encoded as `%5C`, since plain backslashes were already replaced with slashes.
 */
export const ENCODED_SEPARATOR = /[\0\\]/;

/** A path to route. */
export class RoutedPath {
  /** The path to match, decoded: `/api/a b`. */
  readonly text: string;
  /** Whether a segment contains an encoded separator, `%2F` or `%5C`. */
  readonly hasEncodedSeparator: boolean;

  constructor(text: string, hasEncodedSeparator = false) {
    this.text = text;
    this.hasEncodedSeparator = hasEncodedSeparator;
  }
}

/**
 * Reads the path that routes a request.
 *
 * The routed path is the WHATWG pathname of the URL. Bough decodes the segments once,
 * and omits empty segments: `http://h/api//a%20b/?x=1` is routed as `/api/a b`.
 * `Deno.serve` passes request targets unchanged, so a path may contain dot segments and
 * backslashes. The reader creates a `URL`, which costs time, only for such paths.
 */
export class PathReader {
  /**
   * The beginning of the latest URL, up to its path: `http://localhost:8000/`. Most
   * URLs share this beginning, so Bough parses it only once.
   */
  #origin = "\n";

  /**
   * Reads the routed path of a URL.
   *
   * @throws {BadPathError} If the URL is invalid or a `file:` URL, if its authority is
   * malformed, or if an escape in its path is malformed, not UTF-8, or a NUL.
   */
  read(url: string): RoutedPath {
    // Like `startsWith`, which takes twice as long (`tests/instruments/bench/origin_bench.ts`).
    const isKnown = url.lastIndexOf(this.#origin, 0) === 0;
    if (!isKnown) return this.#readUnknown(url);

    const start = this.#origin.length - 1;
    let plain = true;
    let previous = 0;
    let end = start;
    for (; end < url.length; end++) {
      const code = url.charCodeAt(end);
      if (code === QUESTION_MARK) break;
      // Few characters of a path have such low codes.
      if (code <= PERCENT) {
        if (code === HASH) break;
        if (code === PERCENT || code <= SPACE) plain = false;
      }
      if (code === BACKSLASH) plain = false;
      if (previous === SLASH && (code === SLASH || code === DOT)) plain = false;
      previous = code;
    }
    if (previous === SLASH && end > start + 1) plain = false;
    const path = url.slice(start, end);
    if (plain) return new RoutedPath(path);
    return normalize(NEEDS_URL.test(path) ? new URL(url).pathname : path);
  }

  /** Reads a URL with another beginning; remembers the beginning if it is plain. */
  #readUnknown(url: string): RoutedPath {
    const authority = authorityOf(url);
    if (
      !URL.canParse(url) || /^file:/i.test(url) ||
      authority !== undefined && MALFORMED.test(authority)
    ) {
      throw new BadPathError(
        "The URL of the request, or its Host, is malformed",
      );
    }
    // The URL of a request from this process may have no authority, as in `data:,x`.
    if (authority !== undefined && !authority.includes("\\")) {
      const start = url.indexOf("//") + 2 + authority.length;
      if (url.charCodeAt(start) === SLASH) {
        // The slash is needed, since `http://h:81` also begins with `http://h`. A slice
        // without `+` would be slower to compare, and would keep `url` in memory.
        this.#origin = url.slice(0, start) + "/";
        return this.read(url);
      }
    }
    return normalize(new URL(url).pathname);
  }
}

/**
 * Matches authorities for which `URL` finds a different host, since `URL` skips tabs
 * and additional slashes. With `Host: /x`, the URL of the request is
 * `http:///x/api/users`, and `x` would become the host.
 */
const MALFORMED = /^$|^\\|\s/;

/** Matches paths that `URL` changes: dot segments, backslashes, tabs, trailing spaces. */
const NEEDS_URL = /[\\\s]|\/(?:\.|%2e){1,2}(?:\/|$)/i;

const SLASH = 0x2f;
const BACKSLASH = 0x5c;
const DOT = 0x2e;
const PERCENT = 0x25;
const SPACE = 0x20;
const QUESTION_MARK = 0x3f;
const HASH = 0x23;

function normalize(pathname: string): RoutedPath {
  const segments = pathname.split("/").filter((segment) => segment !== "");
  const text = "/" + segments.map(decode).join("/");
  return new RoutedPath(text, ENCODED_SEPARATOR.test(text));
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
    throw new BadPathError("The path contains an encoded NUL");
  }
  return decoded.replaceAll("/", ENCODED_SLASH);
}

/**
 * The authority of a URL as written (RFC 3986, section 3.2): `user@H.example.:81` in
 * `http://user@H.example.:81/a`; `undefined` if there is none, as in `data:,a`.
 *
 * `URL` may read a different authority. For `http:///h/a`, this function returns `""`,
 * but `URL` skips the third slash. For `http://h\@x/a`, this function returns `h\@x`,
 * but `URL` ends the authority at the backslash.
 */
export function authorityOf(url: string): string | undefined {
  return BEGINNING.exec(url)?.[1];
}

const BEGINNING = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i;

/**
 * The path of a URL as written, without its query: `/a//b` in `http://h/a//b?c`; `/` if
 * the path is empty. A backslash counts as a slash, as in `URL` for HTTP: the path of
 * `http://h\a` is `\a`.
 */
export function rawPathOf(url: string): string {
  return PATH.exec(url)?.[1] || "/";
}

const PATH = /^[a-z][a-z0-9+.-]*:\/\/[^/\\?#]*([^?#]*)/i;
