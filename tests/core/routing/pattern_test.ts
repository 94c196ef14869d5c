import {
  assert,
  assertEquals,
  assertStrictEquals,
  assertThrows,
} from "@std/assert";
import { RoutedPath } from "../../../src/core/routing/pathname.ts";
import {
  compilePattern,
  type RoutePattern,
} from "../../../src/core/routing/pattern.ts";
import { type Match, RouteTree } from "../../../src/core/routing/tree.ts";

Deno.test("compilePattern() omits groups, and begins with the prefix", () => {
  const pattern = compilePattern(["api", "v1"], ["(admin)", "users", "[id]"]);
  assertEquals(pattern.text, "/api/v1/users/[id]");
  assertEquals(pattern.paramNames, ["id"]);
  assertEquals(pattern.hasWildcard, false);
});

Deno.test("compilePattern() of no folders is the prefix itself (behaviour 2.3)", () => {
  assertEquals(compilePattern(["api"], []).text, "/api");
  assertEquals(compilePattern([], []).text, "/");
});

Deno.test("compilePattern() creates one key for patterns that differ only in names (behaviour 2.4)", () => {
  assertEquals(
    compilePattern([], ["users", "[id]", "[...]"]).key,
    compilePattern([], ["(x)", "users", "[name]", "[...]"]).key,
  );
  const { key } = compilePattern(["api"], ["users", "[id]", "[...]"]);
  assertEquals(key, "/api/users/[]/[...]");
  assertEquals(compilePattern([], []).key, "/");
});

Deno.test("compilePattern() refuses a wildcard before other segments (behaviour 2.4)", () => {
  assertThrows(
    () => compilePattern(["api"], ["[...]", "x"]),
    SyntaxError,
    'wildcard "[...]" must be the last segment',
  );
  assertThrows(() => compilePattern([], ["[...]", "[...]"]), SyntaxError);
  compilePattern([], ["[...]", "(group)"]);
});

Deno.test("compilePattern() refuses a parameter name used twice (behaviour 2.4)", () => {
  assertThrows(
    () => compilePattern([], ["[id]", "posts", "[id]"]),
    SyntaxError,
    'parameter "id" is used twice',
  );
});

/** The match of a path in a tree with one pattern. */
function find(pattern: RoutePattern, text: string): Match {
  const match = new RouteTree([{ pattern }]).find(new RoutedPath(text));
  assert(match !== undefined);
  return match;
}

Deno.test("Match.params inherits nothing (behaviour 6.2)", () => {
  const pattern = compilePattern([], ["[id]"]);
  const { params } = find(pattern, "/7");
  assertEquals({ ...params }, { id: "7" });
  assertStrictEquals(params.toString, undefined);
  assertStrictEquals(params.constructor, undefined);
  assertEquals("hasOwnProperty" in params, false);
  // No member can be added to all params.
  assert(Object.isFrozen(Object.getPrototypeOf(params)));
  const plain = compilePattern([], ["a"]);
  assertStrictEquals(find(plain, "/a").params.toString, undefined);
});

Deno.test("Match.params is a separate object for each path", () => {
  const pattern = compilePattern([], ["[id]"]);
  const { params } = find(pattern, "/7");
  params.id = "changed";
  assertEquals(find(pattern, "/7").params.id, "7");
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
