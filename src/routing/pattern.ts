import { compileSegment, type Segment, type UrlSegment } from "./segment.ts";
import {
  BadPathError,
  ENCODED_SEPARATOR,
  ENCODED_SLASH,
  type RoutedPath,
} from "./pathname.ts";

/**
 * The URL pattern of one route file, compiled once at the start. All requests share
 * it.
 *
 * It keeps the names of its parameters. The tree has none of them: `users/[id]` and
 * `users/[user]/posts` share their nodes.
 */
export class RoutePattern {
  /** The pattern, spelled as its folders are, without groups: `/api/users/[id]`. */
  readonly text: string;
  /** Its segments in URL order. */
  readonly segments: readonly UrlSegment[];
  /** The names of its dynamic segments in URL order. */
  readonly paramNames: readonly string[];
  /** Whether it ends in `[...]`. */
  readonly hasWildcard: boolean;

  /** @throws {SyntaxError} If a wildcard is not last, or a name is used twice. */
  constructor(segments: readonly UrlSegment[]) {
    // One loop without closures, and no array with room to grow: an application may
    // start with thousands of patterns (`deno task bench:start --forms=bundle`).
    let text = "";
    let paramNames: readonly string[] = [];
    let hasWildcard = false;
    let goesOn = false;
    for (let index = 0; index < segments.length; index++) {
      const segment = segments[index]!;
      text += "/" + spell(segment);
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
        'wildcard "[...]" must be the last segment: it takes the whole rest of the path',
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
        segment.kind === "dynamic" ? "[]" : spell(segment)
      ).join("/");
  }

  /**
   * The values of the dynamic segments in a path that this pattern matches.
   *
   * @param captures The offsets where each dynamic segment begins and ends, in URL
   * order; then the offset where the wildcard begins.
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
   * The segments that the wildcard captured of a path that this pattern matches.
   *
   * @param captures As for {@linkcode params}.
   * @throws {BadPathError} If one of them holds an encoded separator. Handlers may
   * join the segments into a file path, so `files/a%2F..%2Fb` is refused.
   */
  wildcardParams(
    { text, hasEncodedSeparator }: RoutedPath,
    captures: ArrayLike<number>,
  ): string[] {
    const rest = text.slice(captures[2 * this.paramNames.length]);
    if (hasEncodedSeparator && ENCODED_SEPARATOR.test(rest)) {
      throw new BadPathError(
        "A wildcard segment holds an encoded path separator",
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
 * Compiles the patterns of an application. They share the segments of their prefix and
 * those of folders with the same name.
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
   * @throws {SyntaxError} As {@linkcode compilePattern} does.
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

/** The segments of a URL: those of the prefix, then all but the groups. */
export function urlSegments(
  prefix: readonly string[],
  segments: readonly Segment[],
): UrlSegment[] {
  const before = prefix.map((text): UrlSegment => ({ kind: "static", text }));
  return before.concat(segments.filter(isInUrl));
}

/**
 * Makes objects without a prototype, so that `params.constructor` is `undefined`.
 * `Object.create(null)` would make dictionaries, which take 1.5 times as long to fill
 * (`tests/bench/params_bench.ts`).
 */
const EmptyParams = function (): void {} as unknown as new () => Params;
EmptyParams.prototype = Object.freeze(Object.create(null));

/** Spells a segment as its folder is named. */
export function spell(segment: UrlSegment): string {
  switch (segment.kind) {
    case "static":
      return segment.text;
    case "dynamic":
      return `[${segment.name}]`;
    case "wildcard":
      return "[...]";
  }
}
