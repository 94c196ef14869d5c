import { assertEquals } from "@std/assert";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import fc from "fast-check";
import { diffDocuments } from "@bough/framework/diff";
import type { JsonSchema, OpenApiDocument } from "@bough/framework/openapi";

/** Two schemas: the second refuses some values of the first, and accepts no others. */
type Pair = readonly [wide: JsonSchema, narrow: JsonSchema];

const limit = fc.integer({ min: 1, max: 20 });
const string = { type: "string" };
const number = { type: "number" };
const array = { type: "array", items: string };
const open = { type: "object" };

/** Edits that set a keyword, or change its limit. */
function limits(
  base: JsonSchema,
  [keyword, sign]: readonly [string, 1 | -1],
): fc.Arbitrary<Pair> {
  return fc.tuple(limit, limit, fc.boolean()).map(([loose, step, isSet]) => [
    isSet ? base : { ...base, [keyword]: loose + (sign < 0 ? step : 0) },
    { ...base, [keyword]: loose + (sign > 0 ? step : 0) },
  ]);
}

const words = fc.uniqueArray(fc.stringMatching(/^[a-z]{1,5}$/), {
  minLength: 2,
  maxLength: 5,
});

const EDITS: Readonly<Record<string, fc.Arbitrary<Pair>>> = {
  minLength: limits(string, ["minLength", 1]),
  maxLength: limits(string, ["maxLength", -1]),
  minimum: limits(number, ["minimum", 1]),
  maximum: limits(number, ["maximum", -1]),
  exclusiveMinimum: limits(number, ["exclusiveMinimum", 1]),
  exclusiveMaximum: limits(number, ["exclusiveMaximum", -1]),
  integerMinimum: limits({ type: "integer" }, ["minimum", 1]),
  integerMaximum: limits({ type: "integer" }, ["exclusiveMaximum", -1]),
  minItems: limits(array, ["minItems", 1]),
  maxItems: limits(array, ["maxItems", -1]),
  minProperties: limits(open, ["minProperties", 1]),
  maxProperties: limits(open, ["maxProperties", -1]),
  exclusive: limit.map((minimum) => [
    { ...number, minimum },
    { ...number, exclusiveMinimum: minimum },
  ]),
  multipleOf: fc.tuple(limit, fc.integer({ min: 2, max: 9 }))
    .map(([count, times]) => [
      { ...number, multipleOf: count },
      { ...number, multipleOf: count * times },
    ]),
  integer: fc.constant([number, { type: "integer" }]),
  uniqueItems: fc.constant([array, { ...array, uniqueItems: true }]),
  pattern: fc.constantFrom("^a+$", "^[0-9]{4}$", "x", "^(a|b)c?$", "^\\S+$")
    .map((pattern) => [string, { ...string, pattern }]),
  format: fc.constantFrom("email", "uuid", "date", "date-time", "ipv4", "uri")
    .map((format) => [string, { ...string, format }]),
  enum: words.map((all) => [{ enum: all }, { enum: all.slice(1) }]),
  numbers: fc.uniqueArray(limit, { minLength: 2, maxLength: 5 })
    .map((all) => [{ enum: all }, { enum: all.slice(1) }]),
  const: words.map((all) => [{ enum: all }, { const: all.at(-1) }]),
  listed: words.map((all) => [string, { ...string, enum: all }]),
  type: fc.constantFrom("number", "null", "array", "object")
    .map((type) => [{ type: ["string", type] }, string]),
  union: fc.constantFrom(number, array, open)
    .map((other) => [{ anyOf: [string, other] }, string]),
  required: words.map((all) => {
    const properties = Object.fromEntries(all.map((name) => [name, string]));
    return [
      { ...open, properties, required: all.slice(1) },
      { ...open, properties, required: all },
    ];
  }),
  newMember: words.map(([name = ""]) => [
    open,
    { ...open, properties: { [name]: string }, required: [name] },
  ]),
  values: fc.constant([
    { ...open, additionalProperties: { type: ["string", "null"] } },
    { ...open, additionalProperties: string },
  ]),
  propertyNames: limits(open, ["maxProperties", -1]).map(() => [
    open,
    { ...open, propertyNames: { maxLength: 4 } },
  ]),
  contentSchema: limits(string, ["maxLength", -1]).map((pair) =>
    pair.map((contentSchema) => ({
      ...string,
      contentMediaType: "application/json",
      contentSchema,
    })) as unknown as Pair
  ),
};

/** Puts a schema into another schema, and adds its components to a list. */
type Wrapper = (
  schema: JsonSchema,
  components: Record<string, JsonSchema>,
) => JsonSchema;

const WRAPPERS: Readonly<Record<string, Wrapper>> = {
  required: (a) => ({
    type: "object",
    properties: { a, b: string },
    required: ["b", "a"],
  }),
  optional: (a) => ({ type: "object", properties: { a, "b/c": number } }),
  items: (items) => ({ type: "array", items }),
  fewItems: (items) => ({ type: "array", items, minItems: 1, maxItems: 2 }),
  prefixItems: (a) => ({ type: "array", prefixItems: [number, a] }),
  tuple: (a) => ({
    type: "array",
    prefixItems: [a, string],
    items: false,
    minItems: 2,
  }),
  record: (additionalProperties) => ({ type: "object", additionalProperties }),
  rest: (additionalProperties) => ({
    type: "object",
    properties: { kind: { const: "rest" } },
    required: ["kind"],
    additionalProperties,
  }),
  anyOf: (a) => ({ anyOf: [a, { type: "boolean" }] }),
  nullable: (a) => ({ anyOf: [{ type: "boolean" }, a] }),
  tagged: (a) => ({
    oneOf: [
      {
        type: "object",
        properties: { kind: { const: "other" } },
        required: ["kind"],
      },
      {
        type: "object",
        properties: { kind: { const: "tagged" }, a },
        required: ["kind", "a"],
      },
    ],
  }),
  reference: (schema, components) => {
    const name = `Part${Object.keys(components).length}`;
    components[name] = schema;
    return { $ref: `#/components/schemas/${name}` };
  },
  allOf: (a) => ({ allOf: [a, { description: "Part" }] }),
  recursive: (a, components) => {
    const name = `Node${Object.keys(components).length}`;
    const $ref = `#/components/schemas/${name}`;
    const next = { anyOf: [{ $ref }, { type: "null" }] };
    components[name] = {
      type: "object",
      properties: { a, next },
      required: ["a"],
    };
    return { $ref };
  },
};

const PLACES = ["body", "query", "headers", "response", "header"] as const;

const edits = fc.record({
  keyword: fc.constantFrom(...Object.keys(EDITS)),
  wrappers: fc.array(fc.constantFrom(...Object.keys(WRAPPERS)), {
    maxLength: 4,
  }),
  place: fc.constantFrom(...PLACES),
  isNarrowed: fc.boolean(),
}).chain(({ keyword, ...rest }) =>
  EDITS[keyword]!.map((pair) => ({ keyword, pair, ...rest }))
);

const member = (a: JsonSchema) => ({
  type: "object",
  properties: { a },
  required: ["a"],
});

interface Side {
  readonly document: OpenApiDocument;
  /** The schema of the part, next to the components to which it refers. */
  readonly schema: JsonSchema;
}

function sideOf(
  leaf: JsonSchema,
  { wrappers, place }: {
    readonly wrappers: readonly string[];
    readonly place: typeof PLACES[number];
  },
): Side {
  const schemas: Record<string, JsonSchema> = {};
  const a = wrappers.reduce(
    (schema, name) => WRAPPERS[name]!(schema, schemas),
    leaf,
  );
  const content = { "application/json": { schema: a } };
  const description = "";
  const parameter = {
    name: "a",
    in: place === "query" ? "query" as const : "header" as const,
    required: true,
    schema: a,
  };
  const components = { schemas, responses: {} };
  const operation = {
    operationId: "post",
    ...(/query|headers/.test(place) && { parameters: [parameter] }),
    ...(place === "body" && { requestBody: { required: true, content } }),
    responses: {
      200: {
        description,
        ...(place === "response" && { content }),
        ...(place === "header" && {
          headers: { a: { required: true, schema: a } },
        }),
      },
    },
  };
  return {
    document: {
      openapi: "3.1.0",
      info: { title: "Edits", version: "1.0.0" },
      paths: { "/a": { post: operation } },
      components,
    },
    schema: {
      ...(/query|header/.test(place) ? member(a) : a),
      components,
    },
  };
}

/** Whether a schema accepts a value, by a validator of this test. */
function accepts(schema: JsonSchema, value: unknown): boolean {
  const ajv = new Ajv2020({ strict: false, logger: false });
  ajv.removeKeyword("contentSchema").addKeyword({
    keyword: "contentSchema",
    type: "string",
    validate: (schema: JsonSchema, text: string) =>
      accepts(schema, JSON.parse(text)),
  });
  (addFormats as unknown as (ajv: Ajv2020) => void)(ajv);
  return ajv.validate(schema, value);
}

/** Edits one keyword of a document several times, and asserts each verdict. */
export async function assertEdits(count: number): Promise<void> {
  const wrong: string[] = [];
  const unknown: string[] = [];
  for (const edit of fc.sample(edits, { numRuns: count, seed: 30 })) {
    const { keyword, pair, isNarrowed, place } = edit;
    const [wide, narrow] = pair.map((leaf) => sideOf(leaf, edit)) as [
      Side,
      Side,
    ];
    const [before, after] = isNarrowed ? [wide, narrow] : [narrow, wide];
    const isRequest = !place.startsWith("response") && place !== "header";
    const isBreaking = isRequest === isNarrowed ||
      // Clients expect that the server reads the members that they send.
      isRequest && keyword === "newMember";
    const expected = isBreaking ? "breaking" : "compatible";
    const changes = await diffDocuments(before.document, after.document);
    const verdict = changes.some((each) => each.verdict === "breaking")
      ? "breaking"
      : changes[0]?.verdict ?? "compatible";
    const name = JSON.stringify(edit);
    if (verdict === "unknown") unknown.push(name);
    else if (verdict !== expected) wrong.push(`${verdict}: ${name}`);
    for (const { verdict, rule, message, value } of changes) {
      if (verdict === "unknown" || rule === "request-ignored") continue;
      const isShown = value !== undefined && accepts(wide.schema, value) &&
        !accepts(narrow.schema, value);
      if (!isShown) wrong.push(`${message} ${JSON.stringify(value)}: ${name}`);
    }
  }
  assertEquals(wrong, []);
  assertEquals(unknown.length <= count / 100, true, unknown.join("\n"));
}
