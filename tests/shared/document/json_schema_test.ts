import type { StandardSchemaV1 } from "@bough/framework";
import type { JsonSchema } from "@bough/framework/openapi";
import { assertEquals, assertStrictEquals, assertThrows } from "@std/assert";
import { toStandardJsonSchema as form } from "npm:@valibot/to-json-schema@^1.8.0";
import * as v from "valibot";
import { toJsonSchema } from "../../../src/shared/document/json_schema.ts";
import { ZODS } from "../../openapi/zods.ts";
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

for (const [library, z] of Object.entries(ZODS)) {
  Deno.test(`a member is read-only only if its metadata say so: ${library}`, () => {
    const schema = z.object({
      list: z.array(z.string()).readonly(),
      maybe: z.string().readonly().optional(),
      own: z.string().meta({ readOnly: true }),
      both: z.string().readonly().meta({ readOnly: true }),
    }).readonly();
    for (const direction of ["input", "output"] as const) {
      const { properties, readOnly } = toJsonSchema(schema, {
        direction,
        name: "Test",
      });
      assertEquals(properties, {
        list: { type: "array", items: { type: "string" } },
        maybe: { type: "string" },
        own: { type: "string", readOnly: true },
        both: { type: "string", readOnly: true },
      });
      assertEquals(readOnly, undefined);
    }
  });
}

const newId = () => crypto.randomUUID() as string;
const now = () => new Date().toISOString();
const list = () => ["a"];

const DEFAULTS: Readonly<Record<string, StandardSchemaV1>> = {
  valibot: form(v.object({
    id: v.optional(v.string(), newId),
    at: v.optional(v.string(), now),
    list: v.optional(v.array(v.string()), list),
  })),
  ...Object.fromEntries(
    Object.entries(ZODS).map(([library, z]) => [
      library,
      z.object({
        id: z.string().default(newId),
        at: z.string().prefault(now),
        list: z.array(z.string()).default(list),
        date: z.coerce.date().default(() => new Date()),
        caught: z.number().catch(() => Date.now()),
        inner: z.array(z.object({ default: z.string().default(newId) }))
          .default([]),
        nothing: z.string().nullable().default(null),
      }),
    ]),
  ),
};

for (const [library, schema] of Object.entries(DEFAULTS)) {
  Deno.test(`a default is documented, unless it differs from call to call: ${library}`, () => {
    const describe = () =>
      toJsonSchema(schema, OPTIONS) as {
        properties: Record<string, JsonSchema>;
      };
    const { properties } = describe();
    const defaults = Object.entries(properties)
      .filter(([, { default: value }]) => value !== undefined)
      .map(([name, { default: value }]) => [name, value]);
    const { inner } = properties;
    assertEquals(Object.fromEntries(defaults), {
      list: ["a"],
      ...(inner !== undefined && { inner: [], nothing: null }),
    });
    if (inner !== undefined) {
      assertEquals((inner.items as JsonSchema).properties, {
        default: { type: "string" },
      });
    }
    assertEquals(describe().properties, properties);
  });
}
