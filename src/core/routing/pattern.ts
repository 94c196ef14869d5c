import {
  BadPathError,
  ENCODED_SEPARATOR,
  ENCODED_SLASH,
  type RoutedPath,
} from "./pathname.ts";

/**
 * A segment of a URL pattern: the static `users`, the dynamic `[id]`, or the
 * wildcard `[...]`.
 */
export type UrlSegment =
  | { readonly kind: "static"; readonly text: string }
  | { readonly kind: "dynamic"; readonly name: string }
  | { readonly kind: "wildcard" };

/** The precedence of segments when patterns are compared from the left; the lowest wins. */
export const RANK: Readonly<Record<UrlSegment["kind"], number>> = {
  static: 0,
  dynamic: 1,
  wildcard: 2,
};

/** A compiled folder name. A group is not part of the URL. */
export type Segment =
  | UrlSegment
  | { readonly kind: "group"; readonly name: string };

const ALLOWED = '"name", "[name]", "[...]" or "(group)"';
const PARAM_NAME = /^[A-Za-z0-9_$-]+$/;
const HAS_BRACKET = /[[\]()]/;
/**
 * Matches characters that a URL, and therefore an import, drops or turns into a slash.
 */
const NOT_KEPT = /[\t\n\r\\]/;

/**
 * Compiles one folder name: `users` is static, `[id]` dynamic, `[...]` a
 * wildcard and `(admin)` a group.
 *
 * A name that only resembles one of these forms, such as `[[id]]`, is an error instead
 * of a static segment. Such a name may have a meaning in another framework.
 *
 * @throws {SyntaxError} If the name has brackets in any other form, or characters
 * that imports change.
 */
export function compileSegment(name: string): Segment {
  if (NOT_KEPT.test(name)) {
    throw new SyntaxError(
      `folder name "${name}" contains a tab, a line break or a backslash, which an import URL cannot contain unchanged; rename the folder`,
    );
  }
  if (!HAS_BRACKET.test(name)) return { kind: "static", text: name };
  if (name === "[...]") return { kind: "wildcard" };

  const inner = name.slice(1, -1);
  if (name.startsWith("(") && name.endsWith(")")) {
    if (inner !== "" && !HAS_BRACKET.test(inner)) {
      return { kind: "group", name: inner };
    }
  } else if (name.startsWith("[") && name.endsWith("]")) {
    if (PARAM_NAME.test(inner)) return { kind: "dynamic", name: asKey(inner) };
  }
  const fault = `folder name "${name}" ${reasonAgainst(name)}`;
  throw new SyntaxError(`${fault}; use ${ALLOWED}`);
}

/**
 * Returns the engine's own copy of a property name (an internalized string). With any
 * other equal string, the engine would look up this copy each time a property is set.
 */
function asKey(name: string): string {
  return Object.keys({ [name]: true })[0]!;
}

/** Explains why a name with brackets is not a segment. */
function reasonAgainst(name: string): string {
  for (const [open, close] of ["[]", "()"] as const) {
    const opened = name.includes(open!);
    const closed = name.includes(close!);
    if (opened && !closed) return `is missing its "${close}"`;
    if (closed && !opened) return `is missing its "${open}"`;
  }
  if (name === "[]" || name === "()") return "has no name in its brackets";
  if (/^\[\.\.\.[^\]]+\]$/.test(name)) {
    return 'names its wildcard, which must be "[...]"';
  }
  if (/^\[\[.*\]\]$/.test(name)) {
    return "is an optional segment, which Bough does not support: create a route file for each of the two paths";
  }
  if (/^\[[^[\]()]+\]$/.test(name)) {
    return "may contain only letters, digits, _, - and $ in its brackets";
  }
  return "mixes brackets with other text";
}

/**
 * The URL pattern of one route file, compiled once at startup. All requests share the
 * pattern.
 *
 * The pattern stores the names of its parameters, and the tree ignores these names. In
 * the tree, `users/[id]` and `users/[user]/posts` therefore share nodes.
 */
export class RoutePattern {
  /** The pattern, in the form of its folders, without groups: `/api/users/[id]`. */
  readonly text: string;
  /** The segments in URL order. */
  readonly segments: readonly UrlSegment[];
  /** The names of the dynamic segments in URL order. */
  readonly paramNames: readonly string[];
  /** Whether the pattern ends in `[...]`. */
  readonly hasWildcard: boolean;

  /**
   * @throws {SyntaxError} If a wildcard is not last, or a parameter name is used twice.
   */
  constructor(segments: readonly UrlSegment[]) {
    // The code has one loop, no closures and arrays of exact size, since an application
    // may start with thousands of patterns (`deno task bench:start --forms=bundle`).
    let text = "";
    let paramNames: readonly string[] = [];
    let hasWildcard = false;
    let goesOn = false;
    for (let index = 0; index < segments.length; index++) {
      const segment = segments[index]!;
      text += "/" + formatSegment(segment);
      goesOn ||= hasWildcard;
      if (segment.kind === "wildcard") hasWildcard = true;
      if (segment.kind === "dynamic") {
        const { name } = segment;
        paramNames = paramNames.length === 0 ? [name] : [...paramNames, name];
      }
    }
    this.segments = segments;
    this.text = text || "/";
    this.paramNames = paramNames;
    this.hasWildcard = hasWildcard;
    if (goesOn) {
      throw new SyntaxError(
        'wildcard "[...]" must be the last segment: it matches the rest of the path',
      );
    }
    const twice = paramNames.length < 2
      ? undefined
      : paramNames.find((name, index) => paramNames.indexOf(name) !== index);
    if (twice !== undefined) {
      throw new SyntaxError(
        `parameter "${twice}" is used twice in one path; rename one of its folders`,
      );
    }
  }

  /**
   * The pattern without the names of its parameters. Two route files with the same
   * key would match the same requests.
   */
  get key(): string {
    return "/" +
      this.segments.map((segment) =>
        segment.kind === "dynamic" ? "[]" : formatSegment(segment)
      ).join("/");
  }

  /**
   * The values of the dynamic segments in a path that this pattern matches.
   *
   * @param captures The start and end offsets of each dynamic segment, in URL order;
   * then the start offset of the wildcard.
   */
  params(
    { text, hasEncodedSeparator }: RoutedPath,
    captures: ArrayLike<number>,
  ): Params {
    const params = new EmptyParams();
    const names = this.paramNames;
    for (let index = 0; index < names.length; index++) {
      const value = text.slice(captures[2 * index], captures[2 * index + 1]);
      params[names[index]!] = hasEncodedSeparator
        ? value.replaceAll(ENCODED_SLASH, "/")
        : value;
    }
    return params;
  }

  /**
   * The segments that the wildcard captures from a path that this pattern matches.
   *
   * @param captures As for {@linkcode params}.
   * @throws {BadPathError} If a segment contains an encoded separator. Handlers may
   * join the segments into a file path, so `files/a%2F..%2Fb` is rejected.
   */
  wildcardParams(
    { text, hasEncodedSeparator }: RoutedPath,
    captures: ArrayLike<number>,
  ): string[] {
    const rest = text.slice(captures[2 * this.paramNames.length]);
    if (hasEncodedSeparator && ENCODED_SEPARATOR.test(rest)) {
      throw new BadPathError(
        "A wildcard segment contains an encoded path separator",
      );
    }
    return splitAtSlashes(rest);
  }
}

/** The values that dynamic segments captured, by name. */
export type Params = Record<string, string>;

/** Like `text.split("/")`, but twice as fast for the few segments of a path. */
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
 * Compiles the patterns of an application, which share the segments of their prefix and
 * of folders with the same name.
 */
export class PatternCompiler {
  readonly #prefix: readonly UrlSegment[];
  readonly #segments = new Map<string, Segment>();

  /** @param prefix The static segments before the folders. */
  constructor(prefix: readonly string[]) {
    this.#prefix = urlSegments(prefix, []);
  }

  /**
   * Compiles the pattern of a route file.
   *
   * @throws {SyntaxError} Under the same conditions as {@linkcode compilePattern}.
   */
  compile(folders: readonly string[]): RoutePattern {
    const segments = folders.map(this.#segmentOf);
    const inUrl = segments.every(isInUrl) ? segments : segments.filter(isInUrl);
    return new RoutePattern(this.#prefix.concat(inUrl));
  }

  readonly #segmentOf = (name: string): Segment => {
    const known = this.#segments.get(name);
    if (known !== undefined) return known;
    const segment = compileSegment(name);
    this.#segments.set(name, segment);
    return segment;
  };
}

function isInUrl(segment: Segment): segment is UrlSegment {
  return segment.kind !== "group";
}

/**
 * Compiles the pattern of a route file from its folders.
 *
 * @param prefix The static segments before the folders.
 * @param folders The names of the folders from `apiDir` down to the file.
 * @throws {SyntaxError} If a folder name is malformed, a wildcard is not last,
 * or a parameter name is used twice.
 */
export function compilePattern(
  prefix: readonly string[],
  folders: readonly string[],
): RoutePattern {
  return new PatternCompiler(prefix).compile(folders);
}

/**
 * The segments of a URL: the segments of the prefix, then `segments` without groups.
 */
export function urlSegments(
  prefix: readonly string[],
  segments: readonly Segment[],
): UrlSegment[] {
  const before = prefix.map((text): UrlSegment => ({ kind: "static", text }));
  return before.concat(segments.filter(isInUrl));
}

/**
 * Creates objects with an empty prototype, so that `params.constructor` is `undefined`.
 * `Object.create(null)` would create dictionaries, which take 1.5 times as long to fill
 * (`tests/instruments/bench/params_bench.ts`).
 */
const EmptyParams = function (): void {} as unknown as new () => Params;
EmptyParams.prototype = Object.freeze(Object.create(null));

/** Formats a segment as the name of its folder. */
export function formatSegment(segment: UrlSegment): string {
  if (segment.kind === "static") return segment.text;
  return segment.kind === "dynamic" ? `[${segment.name}]` : "[...]";
}
