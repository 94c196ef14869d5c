import {
  assert,
  assertEquals,
  assertStrictEquals,
  assertThrows,
} from "@std/assert";
import { RoutedPath } from "../../src/routing/pathname.ts";
import {
  compilePattern,
  type RoutePattern,
} from "../../src/routing/pattern.ts";
import { RouteTree } from "../../src/routing/tree.ts";

Deno.test("compilePattern() leaves groups out and puts the prefix in front", () => {
  const pattern = compilePattern(["api", "v1"], ["(admin)", "users", "[id]"]);
  assertEquals(pattern.text, "/api/v1/users/[id]");
  assertEquals(pattern.paramNames, ["id"]);
  assertEquals(pattern.hasWildcard, false);
});

Deno.test("compilePattern() of no folders is the prefix itself (behaviour 2.3)", () => {
  assertEquals(compilePattern(["api"], []).text, "/api");
  assertEquals(compilePattern([], []).text, "/");
});

Deno.test("compilePattern() gives patterns that differ in names alone one key (behaviour 2.4)", () => {
  assertEquals(
    compilePattern([], ["users", "[id]", "[...]"]).key,
    compilePattern([], ["(x)", "users", "[name]", "[...]"]).key,
  );
  const { key } = compilePattern(["api"], ["users", "[id]", "[...]"]);
  assertEquals(key, "/api/users/[]/[...]");
  assertEquals(compilePattern([], []).key, "/");
});

Deno.test("compilePattern() refuses a wildcard that is not last (behaviour 2.4)", () => {
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

/** The path as a search for `pattern` leaves it. */
function find(pattern: RoutePattern, text: string): RoutedPath {
  const path = new RoutedPath(text);
  assert(new RouteTree([{ pattern, value: pattern }]).find(path));
  return path;
}

Deno.test("RoutePattern.params() inherits nothing (behaviour 6.2)", () => {
  const pattern = compilePattern([], ["[id]"]);
  const params = pattern.params(find(pattern, "/7"));
  assertEquals({ ...params }, { id: "7" });
  assertStrictEquals(params.toString, undefined);
  assertStrictEquals(params.constructor, undefined);
  assertEquals("hasOwnProperty" in params, false);
  // Nothing can be put where all params would have it.
  assert(Object.isFrozen(Object.getPrototypeOf(params)));
  const plain = compilePattern([], ["a"]);
  assertStrictEquals(plain.params(find(plain, "/a")).toString, undefined);
});

Deno.test("RoutePattern.params() gives each request an object of its own", () => {
  const pattern = compilePattern([], ["[id]"]);
  const path = find(pattern, "/7");
  pattern.params(path).id = "changed";
  assertEquals(pattern.params(path).id, "7");
});
