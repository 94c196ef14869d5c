import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { PathReader, RoutedPath } from "../../src/routing/pathname.ts";
import {
  compilePattern,
  type RoutePattern,
} from "../../src/routing/pattern.ts";
import { RouteTree } from "../../src/routing/tree.ts";
import { naiveMatch, naiveParams } from "../support/oracle.ts";

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
          const path = new RoutedPath("/" + segments.join("/"));
          const found = tree.find(path);
          assertEquals(found?.text, naiveMatch(patterns, segments)?.text);
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
      assertEquals(
        { ...found.params(routed) },
        naiveParams(found, segments),
      );
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
