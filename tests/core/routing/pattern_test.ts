import { assert, assertEquals, assertThrows } from "@std/assert";
import { RoutedPath } from "../../../src/core/routing/pathname.ts";
import {
  compilePattern,
  type RoutePattern,
} from "../../../src/core/routing/pattern.ts";
import { type Match, RouteTree } from "../../../src/core/routing/tree.ts";

Deno.test("compilePattern() omits groups, and begins with the prefix; patterns that differ only in names share a key (behaviour 2.3 and 2.4)", () => {
  for (
    const [prefix, folders, text, key] of [
      ["api/v1", "(g)/users/[id]", "/api/v1/users/[id]", "/api/v1/users/[]"],
      ["api", "(x)/a/[n]/[...]", "/api/a/[n]/[...]", "/api/a/[]/[...]"],
      ["api", "a/[id]/[...]", "/api/a/[id]/[...]", "/api/a/[]/[...]"],
      ["api", "[...]/(group)", "/api/[...]", "/api/[...]"],
      ["api", "", "/api", "/api"],
      ["", "", "/", "/"],
    ] as const
  ) {
    const names = (path: string) => path.split("/").filter((each) => each);
    const pattern = compilePattern(names(prefix), names(folders));
    assertEquals([pattern.text, pattern.key, pattern.hasWildcard], [
      text,
      key,
      folders.includes("[...]"),
    ], folders);
    assertEquals(
      pattern.paramNames,
      [...text.matchAll(/\[(\w+)\]/g)].map(([, name = ""]) => name),
    );
  }
});

Deno.test("compilePattern() refuses a wildcard before other segments, and a parameter name used twice (behaviour 2.4)", () => {
  const last = 'wildcard "[...]" must be the last segment';
  for (
    const [folders, message] of [
      [["[...]", "x"], last],
      [["[...]", "[...]"], last],
      [["[id]", "posts", "[id]"], 'parameter "id" is used twice'],
    ] as const
  ) {
    assertThrows(() => compilePattern([], folders), SyntaxError, message);
  }
});

/** The match of a path in a tree with one pattern. */
function find(pattern: RoutePattern, text: string): Match {
  const match = new RouteTree([{ pattern }]).find(new RoutedPath(text));
  assert(match !== undefined);
  return match;
}

Deno.test("Match.params inherits nothing, and is separate for each path (behaviour 6.2)", () => {
  const pattern = compilePattern([], ["[id]"]);
  const { params } = find(pattern, "/7");
  assertEquals({ ...params }, { id: "7" });
  assertEquals([params.toString, params.constructor], [undefined, undefined]);
  // No member can be added to all params.
  assert(Object.isFrozen(Object.getPrototypeOf(params)));
  params.id = "changed";
  assertEquals(find(pattern, "/7").params.id, "7");
  const plain = compilePattern([], ["a"]);
  assertEquals(find(plain, "/a").params.toString, undefined);
});

Deno.test("a path keeps its captures during other searches", () => {
  const patterns = ["users/[id]/posts/[post]", "files/[...]"].map((path) =>
    compilePattern([], path.split("/"))
  );
  const tree = new RouteTree(patterns.map((pattern) => ({ pattern })));
  const first = tree.find(new RoutedPath("/users/ada/posts/7"));
  const second = tree.find(new RoutedPath("/files/a/b"));
  assert(tree.find(new RoutedPath("/users/somebody-else/posts/longer")));
  assert(tree.find(new RoutedPath("/files/something/longer")));
  assertEquals({ ...first?.params }, { id: "ada", post: "7" });
  assertEquals(second?.wildcardParams, ["a", "b"]);
});
