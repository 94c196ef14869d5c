import type { JsonSchema } from "@bough/framework/openapi";
import { assertEquals, assertStrictEquals, assertThrows } from "@std/assert";
import { toJsonSchema } from "../../../src/shared/document/json_schema.ts";
import { schemaOf } from "../../support/schema_of.ts";

const OPTIONS = { direction: "input", name: "Test" } as const;

Deno.test("toJsonSchema() throws the error of the library with its cause", () => {
  for (const cause of [new RangeError("no dates"), "no dates"]) {
    const schema = schemaOf(undefined, () => {
      throw cause;
    });
    const error = assertThrows(() => toJsonSchema(schema, OPTIONS), TypeError);
    assertEquals(error.message, "no dates");
    assertStrictEquals(error.cause, cause);
  }
});

Deno.test("toJsonSchema() gives each unnamed definition a unique name", () => {
  const ref = (name: string) => ({ $ref: `#/$defs/${name}` });
  const form = (names: readonly string[], self: string): JsonSchema => ({
    properties: { a: ref(names[0]!), b: ref(names[1]!), c: ref(names[2]!) },
    items: { $ref: self },
  });
  const given = {
    ...form(["__schema0", "1", "TestPart"], "#"),
    $defs: {
      __schema0: { type: "string" },
      1: { items: ref("__schema0") },
      TestPart: { type: "null" },
      Test: { type: "boolean" },
    },
  };
  assertEquals(toJsonSchema(schemaOf(undefined, () => given), OPTIONS), {
    ...ref("Test2"),
    $defs: {
      TestPart3: { type: "string" },
      TestPart2: { items: ref("TestPart3") },
      TestPart: { type: "null" },
      Test: { type: "boolean" },
      Test2: form(["TestPart3", "TestPart2", "TestPart"], "#/$defs/Test2"),
    },
  });
});
