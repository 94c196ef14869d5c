import { assertEquals } from "@std/assert";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import fc from "fast-check";
import { diffDocuments } from "@bough/framework/diff";
import type { JsonSchema, OpenApiDocument } from "@bough/framework/openapi";
import { documentWith, type Part } from "./documents.ts";

/** Two schemas: the second refuses some values of the first, and accepts no others. */
type Pair = readonly [wide: JsonSchema, narrow: JsonSchema];

const string = { type: "string" };
const number = { type: "number" };
const integer = { type: "integer" };
const array = { type: "array", items: string };
const open = { type: "object" };
const json = (contentSchema: JsonSchema) => ({
  ...string,
  contentMediaType: "application/json",
  contentSchema,
});

/** Keywords with a limit, and two neighboring limits. */
const LIMITS: readonly (readonly [JsonSchema, string, number, number])[] = [
  [string, "minLength", 4, 5],
  [string, "maxLength", 5, 4],
  [number, "minimum", 4, 5],
  [number, "maximum", 5, 4],
  [number, "exclusiveMinimum", 4, 5],
  [number, "exclusiveMaximum", 5, 4],
  [number, "multipleOf", 3, 12],
  [integer, "minimum", 4, 5],
  [integer, "exclusiveMaximum", 5, 4],
  [array, "minItems", 1, 2],
  [array, "maxItems", 9, 8],
  [open, "minProperties", 1, 2],
  [open, "maxProperties", 9, 8],
];

/** Edits of one keyword, by the name of the keyword or of its values. */
const EDITS: readonly (readonly [name: string, ...Pair])[] = [
  ...LIMITS.flatMap(([base, keyword, loose, tight]) => {
    const narrow = { ...base, [keyword]: tight };
    const wide = { ...base, [keyword]: loose };
    return [[keyword, base, narrow], [keyword, wide, narrow]] as const;
  }),
  ["exclusive", { ...number, minimum: 3 }, { ...number, exclusiveMinimum: 3 }],
  ["integer", number, integer],
  ["uniqueItems", array, { ...array, uniqueItems: true }],
  ...["^a+$", "^[0-9]{4}$", "x", "^(a|b)c?$", "^\\S+$"].map((pattern) =>
    ["pattern", string, { ...string, pattern }] as const
  ),
  ...["email", "uuid", "date", "date-time", "ipv4", "uri"].map((format) =>
    ["format", string, { ...string, format }] as const
  ),
  ["enum", { enum: ["a", "bc"] }, { enum: ["bc"] }],
  ["numbers", { enum: [1, 2, 20] }, { enum: [2, 20] }],
  ["const", { enum: ["a", "bc"] }, { const: "bc" }],
  ["listed", string, { ...string, enum: ["a", "bc"] }],
  ...["number", "null", "array", "object"].map((type) =>
    ["type", { type: ["string", type] }, string] as const
  ),
  ...[number, array, open].map((other) =>
    ["union", { anyOf: [string, other] }, string] as const
  ),
  [
    "required",
    { ...open, properties: { a: string, bc: string }, required: ["bc"] },
    { ...open, properties: { a: string, bc: string }, required: ["a", "bc"] },
  ],
  [
    "newMember",
    open,
    { ...open, properties: { bc: string }, required: ["bc"] },
  ],
  [
    "values",
    { ...open, additionalProperties: { type: ["string", "null"] } },
    { ...open, additionalProperties: string },
  ],
  ["propertyNames", open, { ...open, propertyNames: { maxLength: 4 } }],
  ["contentSchema", json(string), json({ ...string, maxLength: 5 })],
];

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

const edits = fc.record({
  edit: fc.constantFrom(...EDITS),
  wrappers: fc.array(fc.constantFrom(...Object.keys(WRAPPERS)), {
    maxLength: 4,
  }),
  part: fc.constantFrom<Part>(
    ...["request", "query", "headers", "response", "header"] as const,
  ),
  isNarrowed: fc.boolean(),
});

interface Side {
  readonly document: OpenApiDocument;
  /** The schema of the part, next to the components to which it refers. */
  readonly schema: JsonSchema;
}

function sideOf(
  leaf: JsonSchema,
  { wrappers, part }: {
    readonly wrappers: readonly string[];
    readonly part: Part;
  },
): Side {
  const schemas: Record<string, JsonSchema> = {};
  const a = wrappers.reduce(
    (schema, name) => WRAPPERS[name]!(schema, schemas),
    leaf,
  );
  const schema = /query|header/.test(part)
    ? { type: "object", properties: { a }, required: ["a"] }
    : a;
  return {
    document: documentWith(a, { part, components: schemas }),
    schema: { ...schema, components: { schemas } },
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
    const { edit: [keyword, ...pair], isNarrowed, part } = edit;
    const [wide, narrow] = [sideOf(pair[0], edit), sideOf(pair[1], edit)];
    const [before, after] = isNarrowed ? [wide, narrow] : [narrow, wide];
    const isRequest = part !== "response" && part !== "header";
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
