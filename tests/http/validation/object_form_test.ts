import { assertEquals } from "@std/assert";
import { z } from "zod";
import { type } from "npm:arktype@^2.2.9";
import {
  memberNames,
  objectForms,
} from "../../../src/http/validation/object_form.ts";
import type { JsonForm } from "../../../src/http/validation/json_form.ts";
import type { StandardSchemaV1 } from "../../../mod.ts";

/** The names of each way in which an object fits, and what it says of others. */
function waysOf(form: JsonForm) {
  return objectForms(form, form)
    .map(({ named, others }) => [[...named.keys()].join(" "), others]);
}

const A = { properties: { a: {} } };
const B = { properties: { b: {} } };

const FORMS: Readonly<Record<string, { form: JsonForm; ways: unknown[] }>> = {
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
    ways: [["a", { anyOf: [{ type: "string" }] }]],
  },
  "a record of names": {
    form: {
      propertyNames: { enum: ["a", "b"] },
      additionalProperties: {},
      required: ["b", "c"],
    },
    ways: [["b c a", {}]],
  },
  "a text": { form: { type: "string" }, ways: [] },
  "a constant": { form: { const: "a" }, ways: [] },
  "an enum": { form: { enum: ["a"] }, ways: [] },
  "a union": {
    form: { anyOf: [A, { type: "null" }, { oneOf: [B, false, true] }] },
    ways: [["a", undefined], ["b", undefined], ["", {}]],
  },
  "an intersection": {
    form: { ...A, allOf: [{ ...B, additionalProperties: false }] },
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
    form: { $ref: "#/$defs/a~1b", $defs: { "a/b": A } },
    ways: [["a", undefined]],
  },
  "a reference with members of its own": {
    form: { $ref: "#/$defs/A", ...B, $defs: { A } },
    ways: [["a b", undefined]],
  },
  "a reference to nothing": {
    form: { $ref: "#/$defs/A" },
    ways: [["", {}]],
  },
  "a reference to itself": { form: { $ref: "#" }, ways: [] },
};

for (const [name, { form, ways }] of Object.entries(FORMS)) {
  Deno.test(`the ways in which an object fits ${name}`, () => {
    assertEquals(waysOf(form), ways);
  });
}

Deno.test("both values of a name in an intersection count", () => {
  const form = { allOf: [{ properties: { a: { type: "string" } } }, A] };
  const [way] = objectForms(form, form);
  assertEquals(way!.named.get("a"), { allOf: [{ type: "string" }, {}] });
});

function namesOf(schema: StandardSchemaV1) {
  const { certain, possible, ...rest } = memberNames(schema);
  return { certain: [...certain], possible: [...possible], ...rest };
}

Deno.test("memberNames() looks at input and output", () => {
  const text = z.string();
  const plain = { mayCheckOthers: false, isStrict: false };
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
    mayCheckOthers: false,
    isStrict: true,
  });
  const unknown = { ...plain, mayCheckOthers: true };
  const none = { certain: [], possible: [], ...unknown };
  assertEquals(namesOf(z.record(text, text)), none);
  const validate = (value: unknown) => ({ value });
  const own = { version: 1, vendor: "own", validate } as const;
  assertEquals(namesOf({ "~standard": own }), none);
});
