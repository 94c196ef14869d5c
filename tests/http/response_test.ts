import { assertEquals } from "@std/assert";
import { describeType } from "../../src/response.ts";

Deno.test("describeType() names a type for messages, and a class where there is one", () => {
  for (
    const [value, expected] of [
      [undefined, "undefined"],
      [null, "null"],
      ["text", "a string"],
      [5, "a number"],
      [() => {}, "a function"],
      [{}, "an object of class Object"],
      [[], "an object of class Array"],
      [new Response(), "an object of class Response"],
    ] as const
  ) assertEquals(describeType(value), expected);
  assertEquals(describeType(Object.create(null)).includes("class"), false);
  assertEquals(
    describeType({ __proto__: { constructor: 5 } }).includes("class"),
    false,
  );
});
