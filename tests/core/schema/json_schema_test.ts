/** Media types and names of members, which Bough reads in JSON Schemas. */
import { assertEquals } from "@std/assert";
import { type } from "npm:arktype@^2.2.9";
import { z } from "zod";
import type { StandardSchemaV1 } from "../../../mod.ts";
import {
  type JsonFormOptions,
  type JsonSchema,
  resolveRoot,
} from "../../../src/core/schema/json_schema.ts";
import { namedMembers } from "../../../src/core/schema/shape.ts";
import { mediaTypeOf } from "../../../src/core/schema/ways.ts";
import { schemaOf } from "../../support/schema_of.ts";

/** A schema with JSON Schemas of its input and of its output. */
function described(
  output: unknown | ((options: JsonFormOptions) => unknown),
  { input = {}, ...members }: Readonly<Record<string, unknown>> = {},
): StandardSchemaV1 {
  const own = {
    ...schemaOf()["~standard"],
    jsonSchema: {
      input: () => input,
      output: typeof output === "function" ? output : () => output,
    },
  };
  return { "~standard": own, ...members } as StandardSchemaV1;
}

/** A JSON Schema of strings inside nested unions. */
const nested = (depth: number): JsonSchema =>
  depth === 0 ? { type: "string" } : { anyOf: [nested(depth - 1)] };

const STRINGS: readonly JsonSchema[] = [
  { type: "string" },
  { const: "" },
  { enum: ["a", "b"] },
  { anyOf: [{ const: "a" }, { type: "string" }] },
  { oneOf: [{ enum: ["a"] }] },
  { $ref: "#/$defs/Text", $defs: { Text: { type: "string" } } },
  { $ref: "#/$defs/A/b", $defs: { "A/b": { type: "string" } } },
  { anyOf: [{ $ref: "#/$defs/Text" }], $defs: { Text: { const: "a" } } },
  nested(10),
];

const OTHERS: readonly JsonSchema[] = [
  {},
  { type: "number" },
  { type: ["string", "null"] },
  { const: 1 },
  { const: null },
  // No value fits these, so no string fits them.
  { enum: [] },
  { anyOf: [] },
  { enum: ["a", 1] },
  { anyOf: [{ type: "string" }, { type: "null" }] },
  { oneOf: [{}] },
  { type: "number", enum: ["a"] },
  { $ref: "#/$defs/Gone" },
  { $ref: "#/$defs/toString", $defs: {} },
  {
    $ref: "#/$defs/Self",
    $defs: { Self: { anyOf: [{ $ref: "#/$defs/Self" }] } },
  },
  nested(11),
];

Deno.test("a schema alone is text/plain if the JSON Schema of its output describes a string, and else JSON (behaviour 7.7)", () => {
  const draft = "draft-2020-12";
  const newest = ({ target }: JsonFormOptions) => target === draft ? {} : null;
  const throwing = () => {
    throw new TypeError("no JSON form");
  };
  const problem = "application/problem+json";
  for (
    const [schemas, expected] of [
      [STRINGS.map((form) => described(form)), "text/plain"],
      [OTHERS.map((form) => described(form)), "application/json"],
      [[described(newest)], "application/json"],
      [[described({ type: "string" }, { mediaType: problem })], problem],
      [[described({ type: "string" }, { mediaType: 5 })], "text/plain"],
      // Without a JSON Schema, the type is unknown.
      [
        [null, undefined, "string", true, throwing].map((form) =>
          described(form)
        ),
        undefined,
      ],
      [[{ "~standard": {} } as StandardSchemaV1], undefined],
    ] as const
  ) {
    for (const schema of schemas) {
      assertEquals(mediaTypeOf(schema), expected, Deno.inspect(schema));
    }
  }
});

const text = z.string();
const A = { properties: { a: {} } };
const B = { properties: { b: {} } };

/** Schemas, the names that they certainly and perhaps declare, and whether they are strict. */
const NAMES: readonly (readonly [
  schema: StandardSchemaV1,
  certain: string,
  possible: string,
  isStrict?: boolean,
])[] = [
  [z.union([z.object({ a: text }), z.object({ b: text })]), "a b", "a b"],
  [type({ a: "1" }).or({ b: "1" }), "", "a b"],
  [z.object({ a: text }).transform(() => 1), "a", "a"],
  [z.strictObject({}), "", "", true],
  [
    z.union([
      z.strictObject({ a: text }),
      z.object({ a: text, b: text }).catchall(text),
    ]),
    "a b",
    "a b",
  ],
  [text, "", ""],
  [z.record(text, text), "", ""],
  [schemaOf(), "", ""],
  [described(null, { input: null }), "", ""],
  [described({ type: "string" }, { input: { anyOf: [A, B] } }), "", "a b"],
];

Deno.test("namedMembers() reads the schemas of input and output, once", () => {
  for (const [index, [schema, ...expected]] of NAMES.entries()) {
    const found = namedMembers(schema);
    const { certain, possible, isStrict } = found;
    const [names, others, strict = false] = expected;
    assertEquals(
      [[...certain].join(" "), [...possible].join(" "), isStrict],
      [names, others, strict],
      `row ${index}`,
    );
    assertEquals(namedMembers(schema) === found, true);
  }
});

Deno.test("resolveRoot() follows a reference to the schema's own definitions", () => {
  const text = { type: "string" };
  const $defs = { "A/b": text };
  assertEquals(
    ["#/$defs/A/b", "#/$defs/Gone"].map(($ref) => resolveRoot({ $ref, $defs })),
    [{ ...text, $defs }, { $defs }],
  );
  assertEquals(resolveRoot({ $ref: "#/$defs/toString" }), { $defs: {} });
  for (
    const $ref of [
      ...[["#/$defs/A/b"], "#", "#/$defs/", "#/$defs/A/b\n", "x#/$defs/A/b", 5],
    ]
  ) {
    assertEquals(resolveRoot({ $ref, $defs }), { $ref, $defs });
  }
});
