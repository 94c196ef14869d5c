import { assertEquals } from "@std/assert";
import { isAbort, shorten } from "../../../src/core/common/values.ts";

Deno.test("isAbort() recognizes the error of an aborted signal", () => {
  for (
    const [error, expected] of [
      [AbortSignal.abort().reason, true],
      [new DOMException("late", "TimeoutError"), false],
      [Object.assign(new Error("x"), { name: "AbortError" }), false],
      [undefined, false],
    ] as const
  ) assertEquals(isAbort(error), expected, `${error}`);
});

Deno.test("shorten() cuts longer strings, and adds an ellipsis", () => {
  for (
    const [text, expected] of [
      ["", ""],
      ["abc", "abc"],
      ["abcd", "abcd"],
      ["abcde", "abc…"],
      ["abcdefgh", "abc…"],
      // Half of a surrogate pair cannot be encoded.
      ["ab😀de", "ab\ufffd…"],
      ["\ud83d", "\ufffd"],
      ["a😀", "a😀"],
    ] as const
  ) assertEquals(shorten(text, 4), expected);
});
