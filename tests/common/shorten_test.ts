import { assertEquals } from "@std/assert";
import { shorten } from "../../src/common/values.ts";

Deno.test("shorten() cuts what is longer than a length, and tells that it did", () => {
  for (
    const [text, expected] of [
      ["", ""],
      ["abc", "abc"],
      ["abcd", "abcd"],
      ["abcde", "abc…"],
      ["abcdefgh", "abc…"],
    ] as const
  ) {
    assertEquals(shorten(text, 4), expected);
  }
});

Deno.test("shorten() leaves no half of a surrogate pair, which no encoding holds", () => {
  assertEquals(shorten("ab😀de", 4), "ab\ufffd…");
  assertEquals(shorten("\ud83d", 4), "\ufffd");
  assertEquals(shorten("a😀", 4), "a😀");
});
