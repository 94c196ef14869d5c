import { compileSegment, type Segment } from "./segment.ts";
import {
  BadPathError,
  ENCODED_SEPARATOR,
  ENCODED_SLASH,
  type RoutedPath,
} from "./pathname.ts";

/** A segment that stands in the URL: every kind but a group. */
export type UrlSegment = Exclude<Segment, { kind: "group" }>;

/** The values that dynamic segments captured, by name. */
export type Params = Record<string, string>;

/**
 * The URL pattern of one route file, compiled once at the start.
 *
 * The names of its parameters are here and not in the tree: `users/[id]` and
 * `users/[user]/posts` share their nodes, and each keeps its own names.
 */
export class RoutePattern {
  /** The pattern as its folders spell it, groups left out: `/api/users/[id]`. */
  readonly text: string;
  /** Its segments in URL order. */
  readonly segments: readonly UrlSegment[];
  /** The names of its dynamic segments in URL order. */
  readonly paramNames: readonly string[];
  /** Whether it ends in `[...]`. */
  readonly hasWildcard: boolean;

  /** @throws {SyntaxError} If a wildcard is not last, or a name is used twice. */
  constructor(segments: readonly UrlSegment[]) {
    this.segments = segments;
    this.text = "/" + segments.map(spell).join("/");
    this.paramNames = segments.flatMap((segment) =>
      segment.kind === "dynamic" ? [asKey(segment.name)] : []
    );
    this.hasWildcard = segments.at(-1)?.kind === "wildcard";

    const wildcard = segments.findIndex(({ kind }) => kind === "wildcard");
    if (wildcard !== -1 && wildcard !== segments.length - 1) {
      throw new SyntaxError(
        'wildcard "[...]" must be the last segment: it takes the whole rest of the path',
      );
    }
    const twice = this.paramNames.find((name, index, names) =>
      names.indexOf(name) !== index
    );
    if (twice !== undefined) {
      throw new SyntaxError(
        `parameter "${twice}" is used twice in one path; rename one of its folders`,
      );
    }
  }

  /**
   * What the pattern matches, whatever its parameters are called. Two route
   * files with one key would compete for the same requests.
   */
  get key(): string {
    return "/" +
      this.segments.map((segment) =>
        segment.kind === "dynamic" ? "[]" : spell(segment)
      ).join("/");
  }

  /** The values of the dynamic segments in a path that was found by this. */
  params({ text, captures, hasEncodedSeparator }: RoutedPath): Params {
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
   * The segments that the wildcard took in a path that was found by this.
   *
   * @throws {BadPathError} If one of them holds an encoded separator: entries
   * are safe to join into a file path, so `files/a%2F..%2Fb` is refused.
   */
  wildcardParams(
    { text, captures, hasEncodedSeparator }: RoutedPath,
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

/**
 * Compiles the pattern of a route file from the folders it stands in.
 *
 * @param prefix The segments put before the folders, all static.
 * @param folders The names of the folders from `apiDir` down to the file.
 * @throws {SyntaxError} If a folder name is malformed, a wildcard is not last,
 * or a parameter name is used twice.
 */
export function compilePattern(
  prefix: readonly string[],
  folders: readonly string[],
): RoutePattern {
  const segments = folders.map(compileSegment);
  return new RoutePattern([
    ...prefix.map((text) => ({ kind: "static", text }) as const),
    ...segments.filter((segment) => segment.kind !== "group"),
  ]);
}

/**
 * Makes objects that inherit nothing: `params.constructor` is not a value. With
 * `Object.create(null)` they would be dictionaries, which take half as long again
 * to fill (`tests/bench/params_bench.ts`).
 */
const EmptyParams = function (): void {} as unknown as new () => Params;
EmptyParams.prototype = Object.freeze(Object.create(null));

/** A segment as its folder spells it. */
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
 * The same text, as the engine keeps names of properties: one string for all
 * that are equal, known to be a name. To set a property by any other string it
 * looks that one up, each time.
 */
function asKey(name: string): string {
  return Object.keys({ [name]: true })[0]!;
}
