import { assertEquals, assertStrictEquals, assertThrows } from "@std/assert";
import { toJsonSchema } from "../../src/openapi/json_schema.ts";

Deno.test("toJsonSchema() tells what kept a schema from having a JSON form, and why", () => {
  const failure = new RangeError("no dates");
  for (const cause of [failure, "no dates"]) {
    const form = () => {
      throw cause;
    };
    const schema = {
      "~standard": {
        version: 1,
        vendor: "test",
        validate: (value: unknown) => ({ value }),
        jsonSchema: { input: form, output: form },
      },
    } as const;
    const error = assertThrows(
      () => toJsonSchema(schema, { direction: "input", name: "Test" }),
      TypeError,
      "no dates",
    );
    assertEquals(error.message, "no dates");
    assertStrictEquals(error.cause, cause);
  }
});
