import { compileSegment, type UrlSegment } from "./segment.ts";
import { ENCODED_SLASH, type Params, type RoutedPath } from "./pathname.ts";

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

  /**
   * Gives a path that this matches what it captured.
   *
   * @param captures Where: for each dynamic segment, in URL order, its first
   * offset and the one after its last; then the first offset of what a wildcard
   * takes.
   */
  capture(path: RoutedPath, captures: ArrayLike<number>): void {
    const params = new EmptyParams();
    const names = this.paramNames;
    for (let index = 0; index < names.length; index++) {
      const value = path.text.slice(
        captures[2 * index],
        captures[2 * index + 1],
      );
      params[names[index]!] = path.hasEncodedSeparator
        ? value.replaceAll(ENCODED_SLASH, "/")
        : value;
    }
    path.params = params;
    path.wildcardStart = this.hasWildcard ? captures[2 * names.length]! : -1;
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

/**
 * The same text, as the engine keeps names of properties: one string for all
 * that are equal, known to be a name. To set a property by any other string it
 * looks that one up, each time.
 */
function asKey(name: string): string {
  return Object.keys({ [name]: true })[0]!;
}
