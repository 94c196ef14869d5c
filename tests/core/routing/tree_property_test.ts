import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { PathReader, RoutedPath } from "../../../src/core/routing/pathname.ts";
import {
  compilePattern,
  type RoutePattern,
} from "../../../src/core/routing/pattern.ts";
import { type Matched, RouteTree } from "../../../src/core/routing/tree.ts";
import { naiveMatch, naiveParams } from "../../support/oracle.ts";

/** Random trees, and random paths that meet them often, since names are few. */
interface Setting {
  readonly patterns: fc.Arbitrary<RoutePattern[]>;
  readonly path: fc.Arbitrary<string[]>;
}

function setting(...texts: readonly string[]): Setting {
  const names = fc.constantFrom(...texts);
  const dynamic = fc.constantFrom("[a]", "[b]", "[x]");
  const folder = fc.array(fc.oneof(names, dynamic), { maxLength: 5 })
    .chain((folders) =>
      fc.constantFrom(folders, [...folders, "[...]"], ["(g)", ...folders])
    );
  return {
    patterns: fc.array(folder, { maxLength: 25 }).map(compile),
    path: fc.array(fc.oneof(names, fc.constant("zz")), { maxLength: 6 }),
  };
}

function compile(folders: readonly string[][]): RoutePattern[] {
  const byKey = new Map<string, RoutePattern>();
  for (const names of folders) {
    try {
      const pattern = compilePattern([], names);
      byKey.set(pattern.key, pattern);
    } catch (error) {
      // A random path may use a name twice.
      if (!(error instanceof SyntaxError)) throw error;
    }
  }
  return [...byKey.values()];
}

const SETTINGS: Readonly<Record<string, Setting>> = {
  "common names": setting("a", "b", "ab", "abc", "é", "x y"),
  // The tree keeps other characters than ASCII apart; "\u0080" is the first.
  "names around the end of ASCII": setting(
    ..."\u007f \u0080 \u0081 é è éè éé 日本 日曜 💥 💦".split(" "),
  ),
  // Codes so low that a reader could confuse them with other parts of a node.
  "names of control characters": setting("\x01", "\x02", "\x02\x01", "\x07é"),
};

function build(patterns: readonly RoutePattern[]): RouteTree<Matched> {
  return new RouteTree(patterns.map((pattern) => ({ pattern })));
}

for (const [which, { patterns, path }] of Object.entries(SETTINGS)) {
  Deno.test(`RouteTree.find() agrees with the naive oracle on random trees of ${which}, in any order of insertion`, () => {
    fc.assert(
      fc.property(
        patterns,
        fc.array(path, { maxLength: 20 }),
        (patterns, paths) => {
          const trees = [build(patterns), build(patterns.toReversed())];
          for (const segments of paths) {
            const path = new RoutedPath("/" + segments.join("/"));
            const found = trees.map((tree) =>
              tree.find(path)?.value.pattern.text
            );
            const text = naiveMatch(patterns, segments)?.text;
            assertEquals(found, [text, text]);
          }
        },
      ),
      { numRuns: 1_000 },
    );
  });

  Deno.test(`RouteTree.find() captures the same as the route of the oracle, with ${which}`, () => {
    const reader = new PathReader();
    fc.assert(
      fc.property(patterns, path, (patterns, segments) => {
        const url = `http://h/${segments.map(encodeURIComponent).join("/")}`;
        const match = build(patterns).find(reader.read(url));
        if (match === undefined) return;
        const { value: { pattern }, params, wildcardParams } = match;
        assertEquals({ ...params }, naiveParams(pattern, segments));
        assertEquals(
          wildcardParams,
          pattern.hasWildcard
            ? segments.slice(pattern.segments.length - 1)
            : undefined,
        );
      }),
      { numRuns: 1_000 },
    );
  });
}
