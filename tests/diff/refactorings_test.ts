import { assertEquals } from "@std/assert";
import type { JsonSchema } from "@bough/framework/openapi";
import { z } from "zod";
import { TestApplication } from "../support/application.ts";
import type { Files } from "./current_app.ts";
import {
  changedPairs,
  changesInBothDirections,
  form,
  get,
  openApiOf,
} from "./support.ts";

const string = { type: "string" };
const number = { type: "number" };
const integer = { type: "integer" };
const open = { type: "object" };
const a = { ...open, properties: { a: string }, required: ["a"] };
const b = { ...open, properties: { b: number }, required: ["b"] };
const both = {
  ...open,
  properties: { a: string, b: number },
  required: ["a", "b"],
};
const kind = (name: string) => ({
  ...open,
  properties: { kind: { const: name }, [name]: string },
  required: ["kind", name],
});
const $ref = "#/$defs/Node";
const node = (next: JsonSchema) => ({
  ...open,
  properties: { value: string, next },
  required: ["value"],
});

/** Two JSON Schemas that accept equal values. */
const JSON_SCHEMAS: Readonly<
  Record<string, readonly [JsonSchema, JsonSchema]>
> = {
  "a component and an inline schema": [
    { $ref: "#/$defs/A", $defs: { A: a } },
    a,
  ],
  "two names of a component": [
    { ...open, properties: { a: { $ref: "#/$defs/A" } }, $defs: { A: a } },
    { ...open, properties: { a: { $ref: "#/$defs/B" } }, $defs: { B: a } },
  ],
  "a component with more keywords": [
    { $ref: "#/$defs/A", required: ["b"], $defs: { A: a } },
    { ...a, required: ["a", "b"] },
  ],
  "a recursive schema, once unrolled": [
    { $ref, $defs: { Node: node({ $ref }) } },
    { ...node({ $ref }), $defs: { Node: node({ $ref }) } },
  ],
  "a recursive schema of two components": [
    { $ref, $defs: { Node: node({ $ref }) } },
    {
      $ref: "#/$defs/One",
      $defs: {
        One: node({ $ref: "#/$defs/Two" }),
        Two: node({ $ref: "#/$defs/One" }),
      },
    },
  ],
  "the order of members": [both, {
    ...both,
    properties: { b: number, a: string },
  }],
  "the order of required": [both, { ...both, required: ["b", "a"] }],
  "the order of enum": [{ enum: ["a", "b"] }, { enum: ["b", "a"] }],
  "the order of anyOf": [{ anyOf: [string, b] }, { anyOf: [b, string] }],
  "the order of objects in anyOf": [
    { anyOf: [kind("a"), kind("b"), kind("c")] },
    { anyOf: [kind("c"), kind("a"), kind("b")] },
  ],
  "the order of objects in anyOf without a tag": [
    { anyOf: [a, b] },
    { anyOf: [b, a] },
  ],
  "the order of types": [{ type: ["string", "null"] }, {
    type: ["null", "string"],
  }],
  "the order of allOf": [{ allOf: [a, b] }, { allOf: [b, a] }],
  "merged allOf": [{ allOf: [a, b] }, both],
  "an allOf of one schema": [{ allOf: [a] }, a],
  "nested allOf": [{ allOf: [{ allOf: [a] }, { allOf: [b] }] }, {
    allOf: [a, b],
  }],
  "allOf of limits": [
    { ...string, allOf: [{ minLength: 1 }, { minLength: 3 }] },
    { ...string, minLength: 3 },
  ],
  "allOf of equal patterns": [
    { ...string, allOf: [{ pattern: "^a" }, { pattern: "^a" }] },
    { ...string, pattern: "^a" },
  ],
  "allOf of a union": [
    { allOf: [{ anyOf: [kind("a"), kind("b")] }, a] },
    { anyOf: [{ allOf: [kind("a"), a] }, { allOf: [kind("b"), a] }] },
  ],
  "an anyOf of one schema": [{ anyOf: [a] }, a],
  "nested anyOf": [
    { anyOf: [{ anyOf: [string, number] }, a] },
    { anyOf: [string, number, a] },
  ],
  "anyOf with a branch twice": [{ anyOf: [a, a] }, a],
  "oneOf and anyOf of types": [{ oneOf: [string, a] }, { anyOf: [string, a] }],
  "oneOf and anyOf of tagged objects": [
    { oneOf: [kind("a"), kind("b")] },
    { anyOf: [kind("a"), kind("b")] },
  ],
  "anyOf and a list of types": [{ anyOf: [string, number] }, {
    type: ["string", "number"],
  }],
  "const and enum": [{ const: "a" }, { ...string, enum: ["a"] }],
  "anyOf of constants and enum": [
    { anyOf: [{ const: "a" }, { const: 1 }] },
    { enum: [1, "a"] },
  ],
  "nullable as types and as anyOf": [{ type: ["string", "null"] }, {
    anyOf: [string, { type: "null" }],
  }],
  "nullable as anyOf and as oneOf": [{ anyOf: [a, { type: "null" }] }, {
    oneOf: [{ type: "null" }, a],
  }],
  "nullable as a constant": [{ anyOf: [a, { type: "null" }] }, {
    anyOf: [a, { const: null }],
  }],
  "a nullable enum": [{ enum: ["a", null] }, {
    anyOf: [{ enum: ["a"] }, { type: "null" }],
  }],
  "boolean and enum": [{ type: "boolean" }, { enum: [true, false] }],
  "integer and multipleOf": [integer, { ...number, multipleOf: 1 }],
  "exclusive limits of integers": [
    { ...integer, exclusiveMinimum: 0, exclusiveMaximum: 10 },
    { ...integer, minimum: 1, maximum: 9 },
  ],
  "limits of safe integers": [integer, {
    ...integer,
    minimum: Number.MIN_SAFE_INTEGER,
    maximum: Number.MAX_SAFE_INTEGER,
  }],
  "integer within number": [integer, { type: ["integer"], allOf: [number] }],
  "a limit within another limit": [
    { ...number, minimum: 5, exclusiveMinimum: 3 },
    { ...number, minimum: 5 },
  ],
  "a limit of nothing": [
    { ...string, minLength: 0 },
    string,
  ],
  "few items": [
    { type: "array", items: string, minItems: 0, uniqueItems: false },
    { type: "array", items: string },
  ],
  "any items": [{ type: "array", items: {} }, { type: "array" }],
  "any members": [
    { ...a, additionalProperties: true },
    { ...a, additionalProperties: {}, minProperties: 0 },
  ],
  "a required member and a minimum of members": [a, { ...a, minProperties: 1 }],
  "oneOf of objects that share values": [
    { oneOf: [a, b] },
    { $ref: "#/$defs/Either", $defs: { Either: { oneOf: [b, a] } } },
  ],
  "a closed tuple": [
    { type: "array", prefixItems: [string], items: false, minItems: 1 },
    { type: "array", prefixItems: [string], minItems: 1, maxItems: 1 },
  ],
  "members of any value": [
    { ...open, properties: { a: true } },
    { ...open, properties: { a: {} } },
  ],
  "an object without required members": [open, { ...open, required: [] }],
  descriptions: [a, {
    ...a,
    title: "A",
    description: "An object",
    examples: [{ a: "a" }],
    $comment: "For readers",
    "x-order": 1,
  }],
};

Deno.test("JSON Schemas that accept equal values have no change", async () => {
  const pairs = Object.entries(JSON_SCHEMAS).map(([name, [first, second]]) =>
    [name, form(first), form(second)] as const
  );
  assertEquals(await changedPairs(pairs), []);
});

const query = z.object({ page: z.string().optional() });
const params = z.object({ id: z.uuid() });
const METHOD = get({ query });
const HANDLER = get({});
const contract = (contract: object) => ({ contract });

/** Files of two applications with equal documents. */
const FILES: Readonly<Record<string, readonly [Files, Files]>> = {
  "a file in a group": [
    { "books/route.ts": METHOD },
    { "(shop)/books/route.ts": METHOD },
  ],
  "a file in two groups": [
    { "(shop)/books/route.ts": METHOD },
    { "(all)/books/(list)/route.ts": METHOD },
  ],
  "a query in the contract of a folder": [
    { "books/route.ts": METHOD },
    {
      "books/middleware.ts": contract({ query }),
      "books/route.ts": HANDLER,
    },
  ],
  "a query in the contract of a group": [
    { "books/route.ts": METHOD },
    {
      "(shop)/middleware.ts": contract({ query }),
      "(shop)/books/route.ts": HANDLER,
    },
  ],
  "a query in two contracts": [
    { "books/route.ts": get({ query: query.extend({ a: z.int() }) }) },
    {
      "middleware.ts": contract({ query: z.object({ a: z.int() }) }),
      "books/route.ts": METHOD,
    },
  ],
  "params in the contract of a folder": [
    { "books/[id]/route.ts": get({ params }) },
    {
      "books/[id]/middleware.ts": contract({ params }),
      "books/[id]/route.ts": HANDLER,
    },
  ],
  "responses in the contract of a folder": [
    {
      "books/route.ts": get({ query, response: { 200: {}, 409: z.string() } }),
    },
    {
      "books/middleware.ts": contract({ response: { 409: z.string() } }),
      "books/route.ts": get({ query, response: { 200: {} } }),
    },
  ],
  "a summary and tags": [
    { "books/route.ts": METHOD },
    { "books/route.ts": get({ query, summary: "Books", tags: ["shop"] }) },
  ],
};

for (const [name, [first, second]] of Object.entries(FILES)) {
  Deno.test(`${name} does not change the API`, async () => {
    const before = await openApiOf(TestApplication.of(first));
    const after = await openApiOf(TestApplication.of(second));
    assertEquals(await changesInBothDirections(before, after), []);
  });
}
