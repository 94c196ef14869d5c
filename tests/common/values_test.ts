import { assertEquals } from "@std/assert";
import { isA, isAbort, shorten } from "../../src/common/values.ts";
import { revoked } from "../support/hostile.ts";

Deno.test("isA() says whether a value is of a class, and never throws", () => {
  assertEquals(isA(new TypeError("x"), Error), true);
  assertEquals(isA(new Error("x"), TypeError), false);
  assertEquals(isA("x", Error), false);
  assertEquals(isA(undefined, Error), false);
  assertEquals(isA(revoked(new Error("gone")), Error), false);
});

Deno.test("isAbort() recognizes the error of an aborted signal, and never throws", () => {
  assertEquals(isAbort(AbortSignal.abort().reason), true);
  assertEquals(isAbort(new DOMException("late", "TimeoutError")), false);
  assertEquals(
    isAbort(Object.assign(new Error("x"), { name: "AbortError" })),
    false,
  );
  assertEquals(isAbort(undefined), false);
  assertEquals(isAbort(revoked(new Error("gone"))), false);
  const error = new DOMException("x");
  Object.defineProperty(error, "name", {
    get: () => {
      throw new Error("its name throws");
    },
  });
  assertEquals(isAbort(error), false);
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
