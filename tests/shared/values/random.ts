/** Random schemas, and a validator of their examples. */
import type { JsonSchema } from "@bough/framework/openapi";
import { assertEquals, assertNotEquals } from "@std/assert";
import fc from "fast-check";
import formats from "npm:ajv-formats@^3.0.1";
import { Ajv2020 } from "npm:ajv@^8.17.1/dist/2020.js";
import { createExample } from "../../../src/shared/values/example.ts";

const ajv = new Ajv2020({ strict: false });
// @ts-ignore The types of the package describe its CommonJS form.
formats(ajv);

/** The errors of a validator about a value; "" if the value is valid. */
export function faultsOf(schema: JsonSchema, value: unknown): string {
  const validate = ajv.compile(schema);
  return validate(value) ? "" : ajv.errorsText(validate.errors);
}

const small = fc.nat({ max: 6 });

/** An optional member of a schema. */
const range = (low: string, high: string) =>
  fc.tuple(small, small).map(([from, length]) => ({
    [low]: from,
    [high]: from + length,
  }));

const text = fc.oneof(
  fc.constant({}),
  range("minLength", "maxLength"),
  fc.constantFrom(
    "email",
    "uuid",
    "date-time",
    "date",
    "uri",
    "ipv4",
    "ipv6",
    "hostname",
    "time",
    "duration",
  )
    .map((format) => ({ format })),
  fc.constantFrom("^[a-z]{2,4}$", "^\\d+$", "^(?:a|b)c?$", "^[^\\s]*-\\w$")
    .map((pattern) => ({ pattern })),
).map((keywords) => ({ type: "string", ...keywords }));

const number = fc.tuple(
  fc.constantFrom("number", "integer"),
  fc.oneof(
    fc.constant({}),
    range("minimum", "maximum"),
    fc.integer().map((minimum) => ({ minimum })),
    fc.integer().map((maximum) => ({ maximum })),
    fc.integer().map((exclusiveMinimum) => ({ exclusiveMinimum })),
    fc.integer().map((exclusiveMaximum) => ({ exclusiveMaximum })),
    fc.tuple(
      fc.integer({ min: -999, max: 999 }),
      fc.integer({ min: 1, max: 99 }),
    )
      .map(([minimum, multipleOf]) => ({ minimum, multipleOf })),
  ),
).map(([type, keywords]) => ({ type, ...keywords }));

const name = fc.oneof(
  fc.constantFrom("id", "firstName", "tags", "", "a/b~c"),
  fc.string({ maxLength: 8 }),
);

/** Schemas of every supported kind that some value fits. */
const { schema: anySchema } = fc.letrec<{ schema: JsonSchema }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 4 },
    text,
    number,
    fc.constantFrom<JsonSchema>(
      {},
      { type: "boolean" },
      { type: "null" },
      { type: ["string", "null"] },
      { const: { a: [1] } },
      { enum: ["a", 2, null] },
      { $ref: "#/$defs/Node" },
      { $ref: "#/$defs/Id" },
    ),
    fc.tuple(tie("schema"), range("minItems", "maxItems"))
      .map(([items, bounds]) => ({ type: "array", items, ...bounds })),
    fc.array(tie("schema"), { minLength: 1, maxLength: 3 })
      .map((prefixItems) => ({ type: "array", prefixItems, items: false })),
    fc.array(fc.tuple(name, tie("schema"), fc.boolean()), { maxLength: 4 })
      .map((members) => {
        const properties = new Map(
          members.map(([key, schema]) => [key, schema]),
        );
        const required = members.filter(([, , needed]) => needed);
        return {
          type: "object",
          properties: Object.fromEntries(properties),
          required: [...new Set(required.map(([key]) => key))],
          additionalProperties: false,
        };
      }),
    tie("schema").map((additionalProperties) => ({
      type: "object",
      additionalProperties,
    })),
    fc.array(tie("schema"), { minLength: 1, maxLength: 3 })
      .map((anyOf) => ({ anyOf })),
    fc.tuple(number, number.map(({ type: _, ...rest }) => rest))
      .map(([first]) => ({ allOf: [first, { type: "number" }] })),
    tie("schema").map((schema) => ({ allOf: [schema], description: "a part" })),
  ),
}));

const $defs = {
  Id: { type: "integer", minimum: 1 },
  Node: {
    type: "object",
    properties: {
      id: { $ref: "#/$defs/Id" },
      next: { anyOf: [{ $ref: "#/$defs/Node" }, { type: "null" }] },
      nodes: { type: "array", items: { $ref: "#/$defs/Node" } },
    },
    required: ["id", "next"],
  },
};

/** Creates an example of each random schema, and validates it. */
export function checkRandomExamples(numRuns: number): void {
  let found = 0;
  fc.assert(
    fc.property(anySchema, name, (schema, name) => {
      const whole = { ...schema, $defs };
      const example = createExample(whole, { name });
      assertNotEquals(example, undefined);
      assertEquals(faultsOf(whole, example), "");
      found++;
    }),
    { numRuns },
  );
  assertEquals(found, numRuns);
}
