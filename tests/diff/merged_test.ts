import { assertEquals, assertNotEquals } from "@std/assert";
import { diffDocuments } from "@bough/framework/diff";
import type { JsonSchema } from "@bough/framework/openapi";
import { documentWith } from "./documents.ts";

/** A document with a body; the definitions of its schema are components. */
function withBody({ $defs = {}, ...schema }: JsonSchema) {
  return documentWith(schema, {
    components: $defs as Record<string, JsonSchema>,
  });
}

async function verdicts(before: JsonSchema, after: JsonSchema) {
  return (await diffDocuments(withBody(before), withBody(after)))
    .map(({ verdict }) => verdict);
}

for (
  const [before, ...allOf] of [
    [{ type: "string", format: "email" }, { format: "uuid" }, {
      format: "email",
    }],
    [{ type: "number", multipleOf: 3 }, { multipleOf: 2 }, { multipleOf: 3 }],
    [{ type: "number" }, { not: { const: 1 } }, { not: { const: 2 } }],
    [{ const: "b" }, { const: "a" }, { const: "b" }],
    [{ enum: ["a", "b"] }, { enum: ["a"] }, { enum: ["a", "b"] }],
  ]
) {
  Deno.test(`allOf of ${JSON.stringify(allOf)} is not compatible`, async () => {
    assertNotEquals(await verdicts(before!, { allOf }), []);
    assertEquals(await verdicts({ allOf }, { allOf: [...allOf] }), []);
  });
}

Deno.test("allOf of closed objects rejects the members of the other object", async () => {
  const [a, b] = ["a", "b"].map((name) => ({
    type: "object",
    properties: { [name]: { type: "string" } },
    additionalProperties: false,
  }));
  const both = {
    ...a,
    properties: { ...a!.properties, ...b!.properties },
  };
  assertEquals(await verdicts(both, { allOf: [a, b] }), ["breaking"]);
  assertEquals(await verdicts({ allOf: [a, b] }, both), []);
});

const $ref = "#/components/schemas/Part";
const list = (maxLength: number) => ({ type: "array", items: { maxLength } });
const object = (name: string) => ({ type: "object", required: [name] });
const [first, second] = [object("a"), object("b")];
const tuple = { prefixItems: [{}], maxItems: 1 };

/** Two schemas with a change, which may be unknown. */
const ROWS: Readonly<
  Record<string, readonly [before: JsonSchema, after: JsonSchema]>
> = {
  "a referenced oneOf": [
    { anyOf: [first, second] },
    { $ref, $defs: { Part: { oneOf: [first, second] } } },
  ],
  "a oneOf in allOf": [
    { anyOf: [first, second] },
    { allOf: [{ oneOf: [first, second] }] },
  ],
  "a second oneOf": [
    { ...first, anyOf: [first, second] },
    { anyOf: [first], oneOf: [first, second] },
  ],
  "the title of a constant": [
    { const: { title: "a" } },
    { const: { title: "b" } },
  ],
  "a pattern next to a format": [
    { type: "string", format: "email" },
    { type: "string", format: "email", pattern: "@bough\\.example$" },
  ],
  "allOf of two types": [
    { type: "array" },
    { type: "array", allOf: [{ type: "object" }] },
  ],
  "allOf of a tuple and an array": [
    { type: "array", allOf: [tuple] },
    { type: "array", allOf: [tuple, { items: { maximum: 1 } }] },
  ],
  "items of a oneOf whose first branch is not an array": [
    { oneOf: [{ const: 3 }, list(9), { ...list(9), minItems: 1 }] },
    { oneOf: [{ const: 3 }, list(5), { ...list(5), minItems: 1 }] },
  ],
  "a member that became never": [
    { properties: { a: { type: "string" } } },
    { properties: { a: { not: {} } } },
  ],
  ...Object.fromEntries(
    ["not", "contains", "unevaluatedItems", "if"].map((keyword) => [
      `the component of ${keyword}`,
      [
        { [keyword]: { $ref }, $defs: { Part: { type: "string" } } },
        { [keyword]: { $ref }, $defs: { Part: { const: "a" } } },
      ],
    ]),
  ),
};

for (const [name, [before, after]] of Object.entries(ROWS)) {
  Deno.test(`${name} is not compatible`, async () => {
    assertNotEquals(await verdicts(before, after), []);
  });
}

for (const union of ["anyOf", "oneOf"] as const) {
  Deno.test(`a component whose ${union} contains the component is unknown`, async () => {
    const [before, after] = [9, 5].map((maxLength) => ({
      $ref,
      $defs: { Part: { [union]: [{ $ref }, { type: "string", maxLength }] } },
    }));
    assertEquals((await verdicts(before!, after!)).includes("unknown"), true);
    assertEquals(await verdicts(after!, after!), []);
  });
}

Deno.test("a component whose allOf contains the component is unknown", async () => {
  const after = { $ref, $defs: { Part: { allOf: [{ $ref }] } } };
  assertEquals(await verdicts({ type: "string" }, after), ["unknown"]);
  assertEquals(await verdicts(after, after), []);
});

Deno.test("a component that a union and its branch contain is not recursive", async () => {
  const [before, after] = [5, 4].map((maxProperties) => ({
    allOf: [{ $ref }],
    anyOf: [{ $ref, maxProperties }],
    $defs: { Part: first },
  }));
  assertEquals(await verdicts(before!, after!), ["breaking"]);
});

Deno.test("a oneOf whose branches require the oneOf is compared", async () => {
  const branch = (kind: string, maxLength: number) => ({
    type: "object",
    properties: {
      next: { $ref },
      kind: { const: kind },
      name: { type: "string", maxLength },
    },
    required: ["next", "kind"],
  });
  const [before, after] = [9, 5].map((maxLength) => ({
    $ref,
    $defs: {
      Part: {
        oneOf: [branch("a", 9), branch("b", maxLength), { type: "null" }],
      },
    },
  }));
  assertEquals(await verdicts(before!, after!), ["breaking"]);
  assertEquals(await verdicts(after!, before!), []);
});
