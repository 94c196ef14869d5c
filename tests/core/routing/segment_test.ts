import { assertEquals, assertThrows } from "@std/assert";
import { compileSegment } from "../../../src/core/routing/pattern.ts";

Deno.test("compileSegment() distinguishes the four kinds (behaviour 2.1)", () => {
  assertEquals(compileSegment("[...]"), { kind: "wildcard" });
  assertEquals(compileSegment("(admin)"), { kind: "group", name: "admin" });
  for (
    const text of [
      ...["users", ".well-known", "_private", "a b", "café", "a.b", "..."],
      "{x}",
    ]
  ) {
    assertEquals(compileSegment(text), { kind: "static", text });
  }
  for (const name of ["id", "user_id", "user-id", "$id", "Id2", "__proto__"]) {
    assertEquals(compileSegment(`[${name}]`), { kind: "dynamic", name });
  }
});

/** The reasons for which a folder name is refused, each with such names. */
const REFUSED: Readonly<Record<string, readonly string[]>> = {
  "contains a tab, a line break or a backslash": [
    ...["a\tb", "\n", "a\r", "\\b", "[a\t]", "(\n)"],
  ],
  'is missing its "]"': ["[id", "[id)"],
  'is missing its "["': ["id]", "(id]"],
  'is missing its ")"': ["(admin"],
  'is missing its "("': ["admin)"],
  "has no name in its brackets": ["[]", "()"],
  'names its wildcard, which must be "[...]"': ["[...slug]"],
  "is an optional segment, which Bough does not support": [
    ...["[[id]]", "[[...slug]]"],
  ],
  "may contain only letters, digits, _, - and $": ["[a b]", "[..]"],
  "mixes brackets with other text": [
    ...["[id].json", "pre[id]", "((a))", "(a)[b]", "x[...slug]", "[...slug]x"],
    ...["x[[id]]", "[[id]]x", "x[a b]", "[a b]x", "[(a)]"],
  ],
};

Deno.test("compileSegment() refuses every other use of brackets, and characters that an import would change (behaviour 2.1)", () => {
  for (const [reason, names] of Object.entries(REFUSED)) {
    for (const name of names) {
      assertThrows(
        () => compileSegment(name),
        SyntaxError,
        `folder name "${name}" ${reason}`,
      );
    }
  }
  assertThrows(
    () => compileSegment("x[id]"),
    SyntaxError,
    'use "name", "[name]", "[...]" or "(group)"',
  );
});
