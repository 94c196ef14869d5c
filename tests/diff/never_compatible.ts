import { assertEquals } from "@std/assert";
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { diffDocuments } from "@bough/framework/diff";
import type { JsonSchema, OpenApiDocument } from "@bough/framework/openapi";
import { mapKeywords } from "../../src/shared/document/json_schema.ts";

/** Two versions of a schema. */
type Pair = readonly [JsonSchema, JsonSchema];

const count = fc.integer({ min: 0, max: 3 });
const text = fc.constantFrom("", "a", "b", "aa", "ab", "aaa");
const scalar = fc.oneof(text, count, fc.constantFrom(null, true, 0.5, 4));

const leaf: fc.Arbitrary<JsonSchema> = fc.oneof(
  fc.record({
    type: fc.constant("string"),
    minLength: count,
    maxLength: count,
    pattern: fc.constantFrom("^a", "b$", "^a*$"),
    enum: fc.uniqueArray(text, { minLength: 1 }),
    const: text,
    not: fc.record({ const: text }),
  }, { requiredKeys: ["type"] }),
  fc.record({
    type: fc.constantFrom("number", "integer"),
    minimum: count,
    maximum: count,
    exclusiveMinimum: count,
    exclusiveMaximum: count,
    multipleOf: fc.constantFrom(0.5, 1, 2),
  }, { requiredKeys: ["type"] }),
  fc.record({
    type: fc.uniqueArray(
      fc.constantFrom("string", "number", "null", "boolean", "array", "object"),
      { minLength: 1, maxLength: 3 },
    ),
  }),
  fc.record({ enum: fc.uniqueArray(scalar, { minLength: 1 }) }),
  fc.record({ minLength: count, minimum: count, minItems: count }),
  fc.constant({}),
);

const leaves: fc.Arbitrary<Pair> = fc.oneof(
  { weight: 3, arbitrary: leaf.map((each): Pair => [each, each]) },
  { weight: 1, arbitrary: fc.tuple(leaf, leaf) },
);

/** Builds both versions of a schema from both versions of its parts. */
function mapped(
  parts: fc.Arbitrary<readonly Pair[]>,
  build: (parts: readonly JsonSchema[]) => JsonSchema,
): fc.Arbitrary<Pair> {
  return parts.map((all): Pair => [
    build(all.map(([first]) => first)),
    build(all.map(([, second]) => second)),
  ]);
}

const { schema } = fc.letrec<{ schema: Pair }>((tie) => {
  const parts = fc.array(tie("schema"), { minLength: 1, maxLength: 3 });
  const two = fc.tuple(tie("schema"), tie("schema"));
  const keywords = fc.record({
    required: fc.subarray(["a", "b"]),
    minProperties: count,
    maxProperties: count,
    additionalProperties: fc.constant(false),
    dependentRequired: fc.constant({ a: ["b"] }),
  }, { requiredKeys: [] });
  return {
    schema: fc.oneof(
      { maxDepth: 3 },
      leaves,
      mapped(parts, (allOf) => ({ allOf })),
      mapped(parts, (anyOf) => ({ anyOf })),
      mapped(parts, (oneOf) => ({ oneOf })),
      mapped(two, ([first, second]) => ({ ...first, allOf: [second] })),
      mapped(two, ([first, second]) => ({ ...first, anyOf: [second, {}] })),
      mapped(fc.tuple(tie("schema")), ([not]) => ({ not })),
      mapped(
        fc.tuple(tie("schema")),
        ([items]) => ({ type: "array", items }),
      ),
      fc.tuple(two, count, count).chain(([pairs, minItems, maxItems]) =>
        mapped(fc.constant(pairs), ([first, items]) => ({
          type: "array",
          prefixItems: [first],
          items,
          minItems,
          maxItems,
        }))
      ),
      fc.tuple(two, keywords, keywords, fc.boolean()).map(
        ([pairs, first, second, isEqual]): Pair => {
          const [[a, nextA], [b, nextB]] = pairs;
          const next = { a: nextA, b: nextB };
          return [
            { type: "object", properties: { a, b }, ...first },
            { type: "object", properties: next, ...(isEqual ? first : second) },
          ];
        },
      ),
    ),
  };
});

const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 2 },
    scalar,
    fc.array(tie("value"), { maxLength: 3 }),
    fc.record({ a: tie("value"), b: tie("value") }, { requiredKeys: [] }),
  ),
}));

const VALUES = fc.sample(value, { numRuns: 300, seed: 30 });

/** A document with a body, whose parts are components if `isHoisted`. */
function documentWith(
  schema: JsonSchema,
  { isResponse, isHoisted }: {
    readonly isResponse: boolean;
    readonly isHoisted: boolean;
  },
): OpenApiDocument {
  const schemas: Record<string, JsonSchema> = {};
  const hoisted = !isHoisted ? schema : mapKeywords(schema, (part) => {
    const name = `Part${Object.keys(schemas).length}`;
    schemas[name] = part;
    return { $ref: `#/components/schemas/${name}` };
  });
  const content = { "application/json": { schema: hoisted } };
  const post = {
    operationId: "post",
    ...(!isResponse && { requestBody: { required: true, content } }),
    responses: isResponse ? { 200: { description: "", content } } : {},
  };
  return {
    openapi: "3.1.0",
    info: { title: "", version: "" },
    paths: { "/": { post } },
    components: { schemas, responses: {} },
  };
}

/** Asserts that `diffDocuments()` reports each random change that a value shows. */
export async function assertNeverCompatible(count: number): Promise<void> {
  const ajv = new Ajv2020({ strict: false, logger: false });
  const wrong: string[] = [];
  let broken = 0;
  const samples = fc.sample(schema, { numRuns: count, seed: 30 });
  for (const [index, sample] of samples.entries()) {
    const options = { isResponse: index % 3 === 0, isHoisted: index % 2 === 0 };
    // In a response, a closed object binds the server alone.
    const pair = !options.isResponse
      ? sample
      : sample.map((each) =>
        mapKeywords(each, ({ additionalProperties: _, ...rest }) => rest)
      );
    const [wide, narrow] = pair.map((each) => ajv.compile(each));
    const value = VALUES.find((each) => wide!(each) && !narrow!(each));
    if (value === undefined) continue;
    broken++;
    const [first, second] = pair.map((each) => documentWith(each, options));
    const changes = options.isResponse
      ? await diffDocuments(second!, first!)
      : await diffDocuments(first!, second!);
    if (changes.length === 0) wrong.push(JSON.stringify([value, ...pair]));
  }
  assertEquals(broken > count / 10, true, `${broken} pairs`);
  assertEquals(wrong, []);
}
