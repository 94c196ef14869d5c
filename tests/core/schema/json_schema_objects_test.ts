import { assertEquals } from "@std/assert";
import { toStandardJsonSchema as form } from "npm:@valibot/to-json-schema@^1.8.0";
import { type } from "npm:arktype@^2.2.9";
import * as v from "valibot";
import { z } from "zod";
import type { StandardSchemaV1 } from "../../../mod.ts";
import type { JsonSchema } from "../../../src/core/schema/json_schema.ts";
import { lenientForm } from "../../../src/core/schema/json_schema.ts";
import { compileForm, namedMembers } from "../../../src/core/schema/shape.ts";
import { schemaOf } from "../../support/schema_of.ts";

/** The names of each object that fits, and the schema of its other members. */
function waysOf(form: JsonSchema) {
  return compileForm(form).objects
    .map(({ names, more: [first], isStrict }) => [
      names.join(" "),
      isStrict ? false : first?.forms[0],
    ]);
}

const A = { properties: { a: {} } };
const B = { properties: { b: {} } };

const FORMS: Readonly<Record<string, { form: JsonSchema; ways: unknown[] }>> = {
  "anything": { form: {}, ways: [["", {}]] },
  "any object": { form: { type: "object" }, ways: [["", {}]] },
  "an object": { form: { type: "object", ...A }, ways: [["a", undefined]] },
  "an empty object": { form: { properties: {} }, ways: [["", undefined]] },
  "an object or null": {
    form: { type: ["object", "null"], ...A },
    ways: [["a", undefined]],
  },
  "others of a type": {
    form: { ...A, additionalProperties: { type: "string" } },
    ways: [["a", { type: "string" }]],
  },
  "any others": {
    form: { ...A, additionalProperties: true },
    ways: [["a", {}]],
  },
  "no others": {
    form: { ...A, additionalProperties: false },
    ways: [["a", false]],
  },
  "patterns of names": {
    form: { ...A, patternProperties: { "^x": { type: "string" } } },
    ways: [["a", { type: "string" }]],
  },
  "a record of names": {
    form: {
      propertyNames: { enum: ["a", "b"] },
      additionalProperties: {},
      required: ["b", "c"],
    },
    ways: [["b c a", {}]],
  },
  "a string": { form: { type: "string" }, ways: [] },
  "a constant": { form: { const: "a" }, ways: [] },
  "an enum": { form: { enum: ["a"] }, ways: [] },
  "others and a union": {
    form: { additionalProperties: { type: "string" }, anyOf: [A] },
    ways: [["a", { type: "string" }]],
  },
  "a union": {
    form: { anyOf: [A, { type: "null" }, { oneOf: [B, true] }] },
    ways: [["a", undefined], ["b", undefined], ["", {}]],
  },
  "a union with nothing": {
    form: { anyOf: [A, false] },
    ways: [["a", undefined]],
  },
  "an intersection": {
    form: { ...A, allOf: [{ ...B, additionalProperties: false }] },
    ways: [["b a", false]],
  },
  "an intersection with one that refuses others": {
    form: { allOf: [{ ...A, additionalProperties: false }, B] },
    ways: [["a b", false]],
  },
  "an intersection whose second part refuses others": {
    form: { allOf: [B, { ...A, additionalProperties: false }] },
    ways: [["b a", false]],
  },
  "an intersection with any value": {
    form: { allOf: [{ ...A, additionalProperties: false }, {}] },
    ways: [["a", {}]],
  },
  "an intersection of unions": {
    form: { allOf: [{ anyOf: [A, B] }, { properties: { c: {} } }] },
    ways: [["a c", undefined], ["b c", undefined]],
  },
  "a reference": {
    form: { $ref: "#/$defs/a~1b~0", $defs: { "a/b~": A } },
    ways: [["a", undefined]],
  },
  "a reference with members of its own": {
    form: { $ref: "#/$defs/A", ...B, $defs: { A } },
    ways: [["a b", undefined]],
  },
  "a reference to a definition whose name is not escaped": {
    form: { $ref: "#/$defs/a/50%", $defs: { "a/50%": A } },
    ways: [["a", undefined]],
  },
  "a reference to a part of a definition": {
    form: {
      $ref: "#/$defs/A%20B/properties/c",
      $defs: { "A B": { properties: { c: A } } },
    },
    ways: [["a", undefined]],
  },
  "a malformed reference": {
    form: { $ref: "#/$defs/50%" },
    ways: [["", {}]],
  },
  "a reference to an anchor": {
    form: { $ref: "#A", properties: {} },
    ways: [["", {}]],
  },
  "a reference to nothing": {
    form: { $ref: "#/$defs/A" },
    ways: [["", {}]],
  },
  "a reference to itself": { form: { $ref: "#" }, ways: [] },
};

for (const [name, { form, ways }] of Object.entries(FORMS)) {
  Deno.test(`compileForm() lists the objects that a schema accepts: ${name}`, () => {
    assertEquals(waysOf(form), ways);
  });
}

/** A JSON Schema inside nested unions. */
const nested = (form: JsonSchema, depth: number): JsonSchema =>
  depth === 0 ? form : { anyOf: [nested(form, depth - 1)] };

Deno.test("compileForm() follows ten levels of unions", () => {
  assertEquals(waysOf(nested(A, 10)), [["a", undefined]]);
  assertEquals(waysOf(nested(A, 11)), []);
});

Deno.test("compileForm() reads the schema true as any value", () => {
  const form = { properties: { a: true } };
  assertEquals(compileForm(form).objects[0]!.formsOf("a"), [{}]);
});

Deno.test("compileForm() combines both schemas of a name in an intersection", () => {
  const form = { allOf: [{ properties: { a: { type: "string" } } }, A] };
  const [object] = compileForm(form).objects;
  assertEquals(object!.formsOf("a"), [{ type: "string" }, {}]);
  const [other] = compileForm({ allOf: [A, B] }).objects;
  assertEquals(other!.names, ["a", "b"]);
  assertEquals(other!.forms, [[{}], [{}]]);
});

function namesOf(schema: StandardSchemaV1) {
  const { certain, possible, ...rest } = namedMembers(schema);
  return { certain: [...certain], possible: [...possible], ...rest };
}

Deno.test("namedMembers() reads the schemas of input and output", () => {
  const text = z.string();
  const plain = { isStrict: false };
  const both = z.union([z.object({ a: text }), z.object({ b: text })]);
  const names = { certain: ["a", "b"], possible: ["a", "b"] };
  assertEquals(namesOf(both), { ...names, ...plain });
  assertEquals(namesOf(type({ a: "1" }).or({ b: "1" })), {
    ...names,
    certain: [],
    ...plain,
  });
  assertEquals(namesOf(z.object({ a: text }).transform(() => 1)), {
    certain: ["a"],
    possible: ["a"],
    ...plain,
  });
  assertEquals(namesOf(z.strictObject({})), {
    certain: [],
    possible: [],
    isStrict: true,
  });
  const sometimes = z.union([
    z.strictObject({ a: text }),
    z.object({ a: text, b: text }).catchall(text),
  ]);
  assertEquals(namesOf(sometimes), {
    certain: ["a", "b"],
    possible: ["a", "b"],
    ...plain,
  });
  assertEquals(namesOf(text), { certain: [], possible: [], ...plain });
  assertEquals(namedMembers(both), namedMembers(both));
  const none = { certain: [], possible: [], ...plain };
  assertEquals(namesOf(z.record(text, text)), none);
  assertEquals(namesOf(schemaOf()), none);
  const written = (input: unknown, output: unknown) => ({
    "~standard": {
      ...schemaOf()["~standard"],
      jsonSchema: { input: () => input, output: () => output },
    },
  });
  assertEquals(namesOf(written(null, null)), none);
  assertEquals(namesOf(written({ anyOf: [A, B] }, { type: "string" })), {
    ...names,
    certain: [],
    ...plain,
  });
});

const UNUSUAL: Readonly<Record<string, StandardSchemaV1>> = {
  zod: z.object({
    date: z.date(),
    changed: z.string().transform((text) => text.length),
    big: z.bigint(),
  }),
  valibot: form(v.object({
    date: v.date(),
    changed: v.pipe(v.string(), v.transform((text) => text.length)),
    big: v.bigint(),
  })),
  arktype: type({
    date: "Date",
    changed: ["string", "=>", (text: string) => text.length],
    big: "bigint",
  }),
};

for (const [library, schema] of Object.entries(UNUSUAL)) {
  Deno.test(`lenientForm() names the type of a value that JSON lacks: ${library}`, () => {
    for (const direction of ["input", "output"] as const) {
      const { properties } = lenientForm(schema, direction)!;
      const { date, big, changed } = properties as Record<string, object>;
      assertEquals([date, big], [
        { "~type": "date", type: "string", format: "date-time" },
        { "~type": "bigint", type: ["number", "string", "null"] },
      ]);
      if (direction === "input") assertEquals(changed, { type: "string" });
    }
    assertEquals([...namedMembers(schema).certain].sort(), [
      "big",
      "changed",
      "date",
    ]);
  });
}
