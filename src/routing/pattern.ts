import { compileSegment, type Segment } from "./segment.ts";
import { BadPathError, ENCODED_SLASH } from "./pathname.ts";

/** A segment that stands in the URL: every kind but a group. */
export type UrlSegment = Exclude<Segment, { kind: "group" }>;

/** The values that dynamic segments captured, by name. */
export type Params = Record<string, string>;

/**
 * The URL pattern of one route file, compiled once at the start.
 *
 * It knows how to read its own captures from a path that the tree matched, so
 * the tree itself carries no parameter names: `users/[id]` and
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

  /**
   * How many characters of literal text stand before each capture, in order:
   * for `/api/users/[id]/posts/[...]` these are `/api/users/` and `/posts/`.
   */
  readonly #literalLengths: readonly number[];

  /** @throws {SyntaxError} If a segment is malformed or breaks spec 4.1. */
  constructor(segments: readonly UrlSegment[]) {
    this.segments = segments;
    this.text = "/" + segments.map(spell).join("/");
    this.paramNames = segments.flatMap((segment) =>
      segment.kind === "dynamic" ? [segment.name] : []
    );
    this.hasWildcard = segments.at(-1)?.kind === "wildcard";
    this.#literalLengths = literalLengths(segments);

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

  /** The values of the dynamic segments in `path`, which this pattern matched. */
  params(path: string): Params {
    const names = this.paramNames;
    const params = new EmptyParams();
    if (names.length === 0) return params;
    const literalLengths = this.#literalLengths;
    const hasEncodedSlash = path.includes(ENCODED_SLASH);
    let end = 0;
    for (let index = 0; index < names.length; index++) {
      const start = end + literalLengths[index]!;
      end = segmentEnd(path, start);
      const value = path.slice(start, end);
      params[names[index]!] = hasEncodedSlash
        ? value.replaceAll(ENCODED_SLASH, "/")
        : value;
    }
    return params;
  }

  /**
   * The segments that the wildcard captured in `path`, which this pattern
   * matched.
   *
   * @throws {BadPathError} If one of them holds an encoded separator: entries
   * are safe to join into a file path, so `files/a%2F..%2Fb` is refused.
   */
  wildcardParams(path: string): string[] {
    let start = 0;
    for (let index = 0; index < this.paramNames.length; index++) {
      start = segmentEnd(path, start + this.#literalLengths[index]!);
    }
    const rest = path.slice(start + this.#literalLengths.at(-1)!);
    if (rest.includes(ENCODED_SLASH) || rest.includes("\\")) {
      throw new BadPathError(
        "A wildcard segment holds an encoded path separator",
      );
    }
    return rest.split("/");
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

function spell(segment: UrlSegment): string {
  switch (segment.kind) {
    case "static":
      return segment.text;
    case "dynamic":
      return `[${segment.name}]`;
    case "wildcard":
      return "[...]";
  }
}

function literalLengths(segments: readonly UrlSegment[]): number[] {
  const lengths = [];
  let length = 0;
  for (const segment of segments) {
    length += 1;
    if (segment.kind === "static") {
      length += segment.text.length;
    } else {
      lengths.push(length);
      length = 0;
    }
  }
  return lengths;
}

/** The index of the slash that ends the segment at `start`, or the path's end. */
export function segmentEnd(path: string, start: number): number {
  const slash = path.indexOf("/", start);
  return slash === -1 ? path.length : slash;
}
