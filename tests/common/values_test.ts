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

Deno.test("isAbort() knows the error of an aborted signal, and never throws", () => {
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
