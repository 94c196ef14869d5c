import { assertEquals, assertStrictEquals, assertThrows } from "@std/assert";
import { compilePattern } from "../../src/routing/pattern.ts";

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

Deno.test("RoutePattern.params() inherits nothing (behaviour 6.2)", () => {
  const pattern = compilePattern([], ["[id]"]);
  const params = pattern.params("/7");
  assertEquals({ ...params }, { id: "7" });
  assertStrictEquals(params.toString, undefined);
  assertStrictEquals(params.constructor, undefined);
  assertEquals("hasOwnProperty" in params, false);
  const none = compilePattern([], ["a"]).params("/a");
  assertStrictEquals(none.toString, undefined);
});

Deno.test("RoutePattern.params() gives each request an object of its own", () => {
  const pattern = compilePattern([], ["[id]"]);
  pattern.params("/7").id = "changed";
  assertEquals(pattern.params("/7").id, "7");
});
