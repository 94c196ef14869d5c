import type { RoutePattern } from "../../src/core/routing/pattern.ts";
import type { UrlSegment } from "../../src/core/routing/pattern.ts";

const RANK = { static: 0, dynamic: 1, wildcard: 2 } as const;

/**
 * Finds the route for a path by the letter of the rules: tries every pattern, and
 * compares the segment kinds of those that match, from the left.
 *
 * @param path The decoded segments of the path.
 */
export function naiveMatch(
  patterns: readonly RoutePattern[],
  path: readonly string[],
): RoutePattern | undefined {
  const rank = ({ segments }: RoutePattern): string =>
    segments.map(({ kind }) => RANK[kind]).join("");
  return patterns.filter(({ segments }) => matches(segments, path))
    .sort((a, b) => rank(a) < rank(b) ? -1 : 1)[0];
}

/** The values of the dynamic segments of a pattern in a path that it matches. */
export function naiveParams(
  { segments }: RoutePattern,
  path: readonly string[],
): Record<string, string> {
  return Object.fromEntries(
    segments.flatMap((segment, index) =>
      segment.kind === "dynamic" ? [[segment.name, path[index]!]] : []
    ),
  );
}

function matches(
  segments: readonly UrlSegment[],
  path: readonly string[],
): boolean {
  if (segments.at(-1)?.kind === "wildcard") {
    if (path.length < segments.length) return false;
  } else if (path.length !== segments.length) {
    return false;
  }
  return segments.every((segment, index) =>
    segment.kind !== "static" || segment.text === path[index]
  );
}
