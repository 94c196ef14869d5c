import { authorityOf } from "./url.ts";

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

/** The values that dynamic segments captured, by name. */
export type Params = Record<string, string>;

/** A path on its way through the router. What it captured is its own. */
export class RoutedPath {
  /** The path as it is matched: `/api/café`. */
  readonly text: string;
  /** Whether one of its segments holds an encoded separator, `%2F` or `%5C`. */
  readonly hasEncodedSeparator: boolean;
  /** What its dynamic segments captured, once it was found. */
  params: Params = NO_PARAMS;
  /** The offset of what its wildcard takes, or -1 where there is none. */
  wildcardStart = -1;

  constructor(text: string, hasEncodedSeparator = false) {
    this.text = text;
    this.hasEncodedSeparator = hasEncodedSeparator;
  }

  /**
   * The segments that its wildcard took.
   *
   * @throws {BadPathError} If one of them holds an encoded separator: entries
   * are safe to join into a file path, so `files/a%2F..%2Fb` is refused.
   */
  wildcardParams(): string[] {
    const rest = this.text.slice(this.wildcardStart);
    if (this.hasEncodedSeparator && ENCODED_SEPARATOR.test(rest)) {
      throw new BadPathError(
        "A wildcard segment holds an encoded path separator",
      );
    }
    return splitAtSlashes(rest);
  }
}

const NO_PARAMS: Params = Object.freeze(Object.create(null));

/** Like `text.split("/")`, in half the time for the few segments of a path. */
function splitAtSlashes(text: string): string[] {
  const parts = [];
  let start = 0;
  let end;
  while ((end = text.indexOf("/", start)) !== -1) {
    parts.push(text.slice(start, end));
    start = end + 1;
  }
  parts.push(text.slice(start));
  return parts;
}

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
   * @throws {BadPathError} If the URL is invalid or its authority empty (a
   * malformed `Host`), if it is a `file:` URL, where a drive letter may take the
   * place of the host, or if an escape in its path is malformed, no UTF-8, or a
   * NUL.
   */
  read(url: string): RoutedPath {
    if (!url.startsWith(this.#origin)) return this.#readUnknown(url);

    const start = this.#origin.length - 1;
    let plain = true;
    let previous = 0;
    let end = start;
    for (; end < url.length; end++) {
      const code = url.charCodeAt(end);
      if (code === QUESTION_MARK) break;
      // Few characters of paths are this low.
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

  /** Reads a URL that begins in a new way, and remembers how if that is sound. */
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
    // In process, there may be none, as in `data:,x`.
    if (authority !== undefined && !authority.includes("\\")) {
      const start = url.indexOf("//") + 2 + authority.length;
      if (url.charCodeAt(start) === SLASH) {
        // With the slash, since `http://h` begins `http://h:81`, too; put
        // together, since a slice is slower to compare, and keeps all of `url`.
        this.#origin = url.slice(0, start) + "/";
        return this.read(url);
      }
    }
    return normalize(new URL(url).pathname);
  }
}

/**
 * Where a `URL` finds another host than what is written: it passes over tabs and
 * further slashes. `Host: /x` makes `http:///x/api/users` of a target, and `x`
 * would become the host.
 */
const MALFORMED = /^$|^\\|\s/;

/** Dot segments, backslashes, and what a `URL` strips: tabs, a space at the end. */
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
    throw new BadPathError("The path holds an encoded NUL");
  }
  return decoded.replaceAll("/", ENCODED_SLASH);
}
