import { assertEquals, assertThrows } from "@std/assert";
import { compileSegment } from "../../../src/core/routing/pattern.ts";

Deno.test("compileSegment() distinguishes the four kinds (behaviour 2.1)", () => {
  assertEquals(compileSegment("users"), { kind: "static", text: "users" });
  assertEquals(compileSegment("[id]"), { kind: "dynamic", name: "id" });
  assertEquals(compileSegment("[...]"), { kind: "wildcard" });
  assertEquals(compileSegment("(admin)"), { kind: "group", name: "admin" });
});

Deno.test("compileSegment() accepts any name without brackets as plain (behaviour 2.1)", () => {
  for (
    const name of [
      ".well-known",
      "_private",
      "a b",
      "café",
      "a.b",
      "...",
      "{x}",
    ]
  ) {
    assertEquals(compileSegment(name), { kind: "static", text: name });
  }
});

Deno.test("compileSegment() accepts letters, digits, _, - and $ in a parameter name (behaviour 2.1)", () => {
  for (const name of ["id", "user_id", "user-id", "$id", "Id2", "__proto__"]) {
    assertEquals(compileSegment(`[${name}]`), { kind: "dynamic", name });
  }
});

Deno.test("compileSegment() refuses characters that an import would change (behaviour 2.1)", () => {
  for (const name of ["a\tb", "\n", "a\r", "\\b", "[a\t]", "(\n)"]) {
    assertThrows(
      () => compileSegment(name),
      SyntaxError,
      `folder name "${name}" contains a tab, a line break or a backslash`,
    );
  }
});

Deno.test("compileSegment() refuses every other use of brackets (behaviour 2.1)", () => {
  const reasons: Readonly<Record<string, string>> = {
    "[id": 'is missing its "]"',
    "id]": 'is missing its "["',
    "(admin": 'is missing its ")"',
    "admin)": 'is missing its "("',
    "[id)": 'is missing its "]"',
    "(id]": 'is missing its "["',
    "[]": "has no name in its brackets",
    "()": "has no name in its brackets",
    "[...slug]": 'names its wildcard, which must be "[...]"',
    "[[id]]": "is an optional segment, which Bough does not support",
    "[[...slug]]": "is an optional segment, which Bough does not support",
    "[a b]": "may contain only letters, digits, _, - and $",
    "[..]": "may contain only letters, digits, _, - and $",
    "[id].json": "mixes brackets with other text",
    "pre[id]": "mixes brackets with other text",
    "((a))": "mixes brackets with other text",
    "(a)[b]": "mixes brackets with other text",
    "x[...slug]": "mixes brackets with other text",
    "[...slug]x": "mixes brackets with other text",
    "x[[id]]": "mixes brackets with other text",
    "[[id]]x": "mixes brackets with other text",
    "x[a b]": "mixes brackets with other text",
    "[a b]x": "mixes brackets with other text",
    "[(a)]": "mixes brackets with other text",
  };
  for (const [name, reason] of Object.entries(reasons)) {
    const error = assertThrows(() => compileSegment(name), SyntaxError, reason);
    assertEquals(
      error.message,
      `folder name "${name}" ${
        error.message.slice(`folder name "${name}" `.length)
      }`,
    );
    assertEquals(
      error.message.endsWith(
        'use "name", "[name]", "[...]" or "(group)"',
      ),
      true,
      error.message,
    );
  }
});
