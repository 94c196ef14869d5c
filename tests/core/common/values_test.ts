import { assertEquals } from "@std/assert";
import { isAbort, shorten } from "../../../src/core/common/values.ts";

Deno.test("isAbort() recognizes the error of an aborted signal", () => {
  assertEquals(isAbort(AbortSignal.abort().reason), true);
  assertEquals(isAbort(new DOMException("late", "TimeoutError")), false);
  assertEquals(
    isAbort(Object.assign(new Error("x"), { name: "AbortError" })),
    false,
  );
  assertEquals(isAbort(undefined), false);
});

Deno.test("shorten() cuts longer strings, and adds an ellipsis", () => {
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

Deno.test("shorten() replaces half of a surrogate pair, which cannot be encoded", () => {
  assertEquals(shorten("ab😀de", 4), "ab\ufffd…");
  assertEquals(shorten("\ud83d", 4), "\ufffd");
  assertEquals(shorten("a😀", 4), "a😀");
});
