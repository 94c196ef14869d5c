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
  const names = [
    "[id",
    "id]",
    "(admin",
    "admin)",
    "[id)",
    "(id]",
    "[]",
    "()",
    "[...slug]",
    "[[id]]",
    "[[...slug]]",
    "[a b]",
    "[..]",
    "[id].json",
    "pre[id]",
    "((a))",
    "(a)[b]",
    "x[...slug]",
    "[...slug]x",
    "x[[id]]",
    "[[id]]x",
    "x[a b]",
    "[a b]x",
    "[(a)]",
  ];
  for (const name of names) {
    assertThrows(
      () => compileSegment(name),
      SyntaxError,
      `folder name "${name}" is malformed; use "name", "(group)"`,
    );
  }
});
