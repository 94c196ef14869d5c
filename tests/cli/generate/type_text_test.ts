import { assertEquals } from "@std/assert";
import { TypePrinter } from "../../../src/cli/generate/type_text.ts";

/** Schemas of other libraries, and the type of their values. */
const TYPES: readonly (readonly [schema: object, type: string])[] = [
  [{ type: "array", items: { enum: [] } }, "Array<never>"],
  [{ type: ["string", "null"] }, "string | null"],
  [{ type: ["integer", "number"] }, "number"],
  [{ type: [] }, "never"],
  [{ type: "string; export type X = 1" }, "unknown"],
  [{ anyOf: [{ type: "string" }, { type: "file" }] }, "unknown"],
  [{ $ref: "" }, "_"],
];

for (const [schema, type] of TYPES) {
  Deno.test(`the type of ${JSON.stringify(schema)} is ${type}`, () => {
    assertEquals(new TypePrinter([""], []).type(schema), type);
  });
}
