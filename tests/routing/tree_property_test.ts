import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { PathReader } from "../../src/routing/pathname.ts";
import {
  compilePattern,
  type RoutePattern,
  type UrlSegment,
} from "../../src/routing/pattern.ts";
import { RouteTree } from "../../src/routing/tree.ts";

/** Few names, so that random trees and random paths meet often. */
const names = fc.constantFrom("a", "b", "ab", "abc", "é", "x y");
const folder = fc.array(
  fc.oneof(names, names.map((name) => `[${name.charAt(0)}]`)),
  { maxLength: 5 },
).chain((folders) =>
  fc.constantFrom(folders, [...folders, "[...]"], ["(g)", ...folders])
);

const patterns = fc.array(folder, { maxLength: 25 }).map((folders) => {
  const byKey = new Map<string, RoutePattern>();
  for (const names of folders) {
    try {
      const pattern = compilePattern([], names);
      byKey.set(pattern.key, pattern);
    } catch (error) {
      // A random path may use a name twice, or brackets around "é".
      if (!(error instanceof SyntaxError)) throw error;
    }
  }
  return [...byKey.values()];
});

const path = fc.array(fc.oneof(names, fc.constant("zz")), { maxLength: 6 });

const RANK = { static: 0, dynamic: 1, wildcard: 2 } as const;

function matches(segments: readonly UrlSegment[], path: string[]): boolean {
  return segments.every((segment, index) => {
    if (segment.kind === "wildcard") return path.length > index;
    if (segment.kind === "dynamic") return path[index] !== undefined;
    return path[index] === segment.text;
  }) &&
    (segments.at(-1)?.kind === "wildcard" || segments.length === path.length);
}

/** Tries every pattern and compares the kinds of the fitting ones from the left. */
function oracle(
  patterns: readonly RoutePattern[],
  path: string[],
): RoutePattern | undefined {
  const fitting = patterns.filter(({ segments }) => matches(segments, path));
  const rank = ({ segments }: RoutePattern) =>
    segments.map(({ kind }) => RANK[kind]).join("");
  return fitting.sort((a, b) => rank(a) < rank(b) ? -1 : 1)[0];
}

function build(patterns: readonly RoutePattern[]): RouteTree<RoutePattern> {
  return new RouteTree(
    patterns.map((pattern) => ({ pattern, value: pattern })),
  );
}

Deno.test("RouteTree.find() agrees with the naive oracle on random trees", () => {
  fc.assert(
    fc.property(
      patterns,
      fc.array(path, { maxLength: 20 }),
      (patterns, paths) => {
        const tree = build(patterns);
        for (const segments of paths) {
          const found = tree.find("/" + segments.join("/"));
          assertEquals(found?.text, oracle(patterns, segments)?.text);
        }
      },
    ),
    { numRuns: 1_000 },
  );
});

Deno.test("RouteTree.find() captures what the oracle's route captures", () => {
  const reader = new PathReader();
  fc.assert(
    fc.property(patterns, path, (patterns, segments) => {
      const url = `http://h/${segments.map(encodeURIComponent).join("/")}`;
      const routed = reader.read(url);
      const found = build(patterns).find(routed);
      if (found === undefined) return;
      const values = found.segments.flatMap((segment, index) =>
        segment.kind === "dynamic" ? [[segment.name, segments[index]!]] : []
      );
      assertEquals({ ...found.params(routed) }, Object.fromEntries(values));
      if (found.hasWildcard) {
        assertEquals(
          found.wildcardParams(routed),
          segments.slice(found.segments.length - 1),
        );
      }
    }),
    { numRuns: 1_000 },
  );
});

Deno.test("RouteTree does not depend on the order of insertion", () => {
  fc.assert(
    fc.property(patterns, (patterns) => {
      assertEquals(
        String(build(patterns)),
        String(build(patterns.toReversed())),
      );
    }),
  );
});
