import { assertEquals } from "@std/assert";
import {
  type JsonFormOptions,
  type JsonSchema,
  resolveRoot,
} from "../../../src/core/schema/json_schema.ts";
import { describesString, mediaTypeOf } from "../../../src/core/schema/ways.ts";

const STRINGS: readonly JsonSchema[] = [
  { type: "string" },
  { const: "" },
  { enum: ["a", "b"] },
  { anyOf: [{ const: "a" }, { type: "string" }] },
  { oneOf: [{ enum: ["a"] }] },
  { $ref: "#/$defs/Text", $defs: { Text: { type: "string" } } },
  { anyOf: [{ $ref: "#/$defs/Text" }], $defs: { Text: { const: "a" } } },
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
];

Deno.test("describesString() is true only for schemas of strings", () => {
  for (const form of STRINGS) {
    assertEquals(describesString(form), true, Deno.inspect(form));
  }
  for (const form of OTHERS) {
    assertEquals(describesString(form), false, Deno.inspect(form));
  }
});

Deno.test("describesString() follows ten levels of unions", () => {
  const nested = (depth: number): JsonSchema =>
    depth === 0 ? { type: "string" } : { anyOf: [nested(depth - 1)] };
  assertEquals([10, 11].map((depth) => describesString(nested(depth))), [
    true,
    false,
  ]);
});

/** A schema whose output has a JSON Schema. */
function schemaOf(
  output: (options: JsonFormOptions) => unknown,
  members: object = {},
): never {
  const validate = (value: unknown) => ({ value });
  const jsonSchema = { input: () => ({ type: "string" }), output };
  const own = { version: 1, vendor: "test", validate, jsonSchema };
  return { "~standard": own, ...members } as never;
}

Deno.test("mediaTypeOf() reads the schema itself, then the JSON Schema of its output", () => {
  const problem = { mediaType: "application/problem+json" };
  assertEquals(
    mediaTypeOf(schemaOf(() => ({ type: "string" }), problem)),
    "application/problem+json",
  );
  assertEquals(
    mediaTypeOf(schemaOf(() => ({ type: "string" }), { mediaType: 5 })),
    "text/plain",
  );
  assertEquals(mediaTypeOf(schemaOf(() => ({}))), "application/json");
  const draft = "draft-2020-12";
  const newest = ({ target }: JsonFormOptions) => target === draft ? {} : null;
  assertEquals(mediaTypeOf(schemaOf(newest)), "application/json");
  for (const form of [null, undefined, "string", true]) {
    assertEquals(mediaTypeOf(schemaOf(() => form)), undefined);
  }
  const throwing = () => {
    throw new TypeError("no JSON form");
  };
  assertEquals(mediaTypeOf(schemaOf(throwing)), undefined);
  assertEquals(mediaTypeOf({ "~standard": {} } as never), undefined);
});

Deno.test("resolveRoot() follows a reference to the schema's own definitions", () => {
  const $defs = { "A/b": { type: "string" } };
  assertEquals(resolveRoot({ $ref: "#/$defs/A/b", $defs }), {
    type: "string",
    $defs,
  });
  assertEquals(resolveRoot({ $ref: "#/$defs/Gone", $defs }), { $defs });
  assertEquals(resolveRoot({ $ref: "#/$defs/toString" }), { $defs: {} });
  for (
    const $ref of [
      ["#/$defs/A/b"],
      "#",
      "#/$defs/",
      "#/$defs/A/b\n",
      "x#/$defs/A/b",
      5,
    ]
  ) {
    assertEquals(resolveRoot({ $ref, $defs }), { $ref, $defs });
  }
});
