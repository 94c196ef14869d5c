/**
 * The rules of oasdiff (https://github.com/oasdiff/oasdiff, Apache-2.0) that report an
 * error or a warning, with pairs of routes or a reason for each.
 */
import { content } from "@bough/framework";
import type { JsonSchema } from "@bough/framework/openapi";
import { schemaOf } from "../support/schema_of.ts";

/** Rules about changes that cannot occur in a document of Bough. */
export const CANNOT: Readonly<Record<string, string>> = expanded({
  "{request,response}-property-{deprecated-sunset-missing,deprecated-sunset-invalid,sunset-date-too-small}":
    "only operations have a sunset",
  "request-parameter-{deprecated-sunset-missing,sunset-date-too-small,sunset-deleted,sunset-date-changed-too-small,sunset-parse,removed-before-sunset}":
    "only operations have a sunset",
  "{api,request-property,response-property}-stability-decreased":
    "a document of Bough has no stability levels",
  "api-invalid-stability-level": "a document of Bough has no stability levels",
  "api-deprecated-sunset-parse":
    "Bough writes the date, and an operation without a readable date never passes its sunset",
  "new-required-request-default-parameter-to-existing-path":
    "each operation lists its own parameters",
  "response-media-type-name-generalized":
    "a route declares media types without wildcards",
  "webhook-removed": "a document of Bough has no webhooks",
});

/** Rules about changes that are compatible, or that another line reports. */
export const OTHERWISE: Readonly<Record<string, string>> = expanded({
  "api-deprecated-sunset-missing":
    "deprecation breaks no client; without a sunset, each removal is breaking",
  "sunset-deleted": "without a sunset, each removal is breaking",
  "request-parameter-default-value-added":
    "the old document says nothing about a missing parameter",
  "request-{body,property}-all-of-removed": "requests may be widened",
  "request-body-media-type-removed":
    "each route with a body reads JSON and forms, unless it streams the body",
  "request-body-wrapped-in-one-of":
    "the schema and the union of this one schema accept equal values",
  "{request-parameter,request-property}-x-extensible-enum-value-removed":
    "a keyword that begins with x- accepts and refuses no value",
  "optional-response-header-removed": "clients expect that it may be missing",
  "response-optional-property-removed": "clients expect that it may be missing",
  "response-required-property-became-not-write-only":
    "writeOnly accepts and refuses no value",
});

/** Adds an entry for each alternative of `{a,b}` in a name. */
function expanded<T>(table: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(
    Object.entries(table).flatMap(([name, value]) =>
      namesOf(name).map((each) => [each, value])
    ),
  );
}

function namesOf(name: string): string[] {
  const [, start, list, end] = /^(.*?)\{([^}]*)\}(.*)$/.exec(name) ?? [];
  if (list === undefined) return [name];
  return list.split(",").flatMap((each) => namesOf(`${start}${each}${end}`));
}

/** The members of `schema.post` in two versions of a route. */
export interface Pair {
  readonly before: object;
  readonly after: object;
  /** The folder of the changed route, if it differs. */
  readonly folder?: string;
  /** Members of the old operation that its route cannot declare. */
  readonly operation?: object;
}

/** A schema that requires a value, and accepts each. */
function form(json?: JsonSchema): object {
  const issues = [{ message: "is missing" }];
  return schemaOf(
    (value: unknown) => value === undefined ? { issues } : { value },
    json && (() => json),
  );
}

const object = (a: JsonSchema): JsonSchema => ({
  type: "object",
  properties: { a },
  required: ["a"],
});

/** For the start of a rule's name, the changed part. */
const PLACES: readonly (readonly [RegExp, (json: JsonSchema) => object])[] = [
  [/^request-body/, (json) => ({ body: form(json) })],
  [
    /^(new-required-)?request-property/,
    (json) => ({ body: form(object(json)) }),
  ],
  [
    /^request-(parameter-property|header-property)/,
    (json) => ({ headers: form(object(object(json))) }),
  ],
  [/^request-parameter/, (json) => ({ query: form(object(json)) })],
  [/^response-body/, (json) => ({ response: form(json) })],
  [/^response-property/, (json) => ({ response: form(object(json)) })],
  [
    /^response-header/,
    (json) => ({ response: { 200: { headers: form(object(json)) } } }),
  ],
];

const string = { type: "string" };
const number = { type: "number" };
const array = { type: "array" };
const open = { type: "object" };
const media = { ...string, contentMediaType: "application/json" };
const condition = { ...string, if: { minLength: 3 } };
const contained = { ...array, contains: string };
const member = { ...open, properties: { a: string } };
const needed = object(string);

/** Keywords with a limit, by their names in rules. */
const LIMITS: Readonly<Record<string, readonly [JsonSchema, string]>> = {
  "max-length": [string, "maxLength"],
  max: [number, "maximum"],
  "exclusive-max": [number, "exclusiveMaximum"],
  "min-items": [array, "minItems"],
  "min-length": [string, "minLength"],
  min: [number, "minimum"],
  "exclusive-min": [number, "exclusiveMinimum"],
};

function limitRules(): Record<string, readonly [JsonSchema, JsonSchema]> {
  const rules: Record<string, readonly [JsonSchema, JsonSchema]> = {};
  for (const [name, [base, keyword]] of Object.entries(LIMITS)) {
    const [narrowed, widened, wide] = name.includes("max")
      ? ["decreased", "increased", 3]
      : ["increased", "decreased", 1];
    const pair = [{ ...base, [keyword]: wide }, {
      ...base,
      [keyword]: 2,
    }] as const;
    rules[`request-{body,property,parameter}-${name}-${narrowed}`] = pair;
    rules[`response-{body,property}-${name}-${widened}`] = pair;
    if (name.startsWith("min-")) continue;
    rules[`request-{body,property,parameter}-${name}-set`] = [base, pair[1]];
  }
  return rules;
}

/**
 * For names of rules, two schemas: the second schema accepts fewer values. A request
 * changes from the first to the second schema, and a response from the second to the
 * first schema.
 */
const SCHEMAS: Readonly<Record<string, readonly [JsonSchema, JsonSchema]>> =
  expanded({
    "request-{body,property,parameter,header-property}-became-enum": [string, {
      enum: ["a"],
    }],
    "{request-body,request-property,request-parameter,request-parameter-property}-became-not-nullable":
      [{ type: ["string", "null"] }, string],
    "response-{body,property,header}-became-nullable": [
      { type: ["string", "null"] },
      string,
    ],
    "request-{body,property,parameter,parameter-property}-enum-value-removed": [
      { enum: ["a", "b"] },
      { enum: ["a"] },
    ],
    "response-property-enum-value-added": [{ enum: ["a", "b"] }, {
      enum: ["a"],
    }],
    ...limitRules(),
    "request-parameter-max-items-decreased": [
      { ...array, maxItems: 3 },
      { ...array, maxItems: 2 },
    ],
    "response-{body,property}-max-length-unset": [
      string,
      { ...string, maxLength: 2 },
    ],
    "{request-body-min-items-set,request-property-min-items-set,request-parameter-min-items-set,response-body-min-items-unset,response-property-min-items-unset}":
      [array, { ...array, minItems: 2 }],
    "request-{property,parameter}-pattern-added": [string, {
      ...string,
      pattern: "^a",
    }],
    "request-{property,parameter}-pattern-changed": [
      { ...string, pattern: "^b" },
      { ...string, pattern: "^a" },
    ],
    "{request-body,request-property,request-parameter,request-parameter-property,response-body,response-property,response-header}-type-changed":
      [number, string],
    "{request-parameter-property-type-specialized,response-header-type-generalized,response-body-type-generalized,response-property-type-generalized}":
      [number, { type: "integer" }],
    "{request-body,request-property,request-parameter,request-parameter-property}-list-of-types-narrowed":
      [{ type: ["string", "number"] }, string],
    "response-{body,property}-list-of-types-widened": [
      { type: ["string", "number"] },
      string,
    ],
    "request-{body,property}-any-of-removed": [
      { anyOf: [needed, object(number)] },
      { anyOf: [needed] },
    ],
    "{request-body-one-of-removed,request-property-one-of-removed,response-body-one-of-added,response-property-one-of-added}":
      [
        { oneOf: [object({ const: "a" }), object({ const: "b" })] },
        { oneOf: [object({ const: "a" })] },
      ],
    "response-body-wrapped-in-one-of": [{ oneOf: [string, number] }, string],
    "request-{body,property}-all-of-added": [
      open,
      { ...open, allOf: [needed] },
    ],
    "{request-body-const-added,request-property-const-added,response-body-const-removed,response-property-const-removed}":
      [string, { const: "a" }],
    "{request,response}-{body,property}-const-changed": [{ const: "b" }, {
      const: "a",
    }],
    "request-property-became-required": [member, needed],
    "request-header-property-became-required": [member, needed],
    "request-property-became-required-with-default": [
      { ...open, properties: { a: { ...string, default: "a" } } },
      { ...object({ ...string, default: "a" }) },
    ],
    "new-required-request-property": [open, needed],
    "new-required-request-property-with-default": [
      open,
      object({ ...string, default: "a" }),
    ],
    "request-property-removed": [member, {
      ...open,
      properties: { b: string },
    }],
    "{request-body-prefix-items-removed,request-property-prefix-items-removed,response-body-prefix-items-added,response-property-prefix-items-added}":
      [
        { ...array, prefixItems: [string, number], items: string },
        { ...array, prefixItems: [string], items: string },
      ],
    ...Object.fromEntries(
      ([
        ["if", string, { ...condition, then: { pattern: "^a" } }],
        ["then", condition, { ...condition, then: { pattern: "^a" } }],
        ["else", condition, { ...condition, else: { pattern: "^a" } }],
        ["contains", array, contained],
        ["dependent-required", open, {
          ...open,
          dependentRequired: { a: ["b"] },
        }],
        ["dependent-schema", open, {
          ...open,
          dependentSchemas: { a: needed },
        }],
        ["pattern-property", open, {
          ...open,
          patternProperties: { a: string },
        }],
        ["property-names", open, { ...open, propertyNames: { maxLength: 3 } }],
        ["unevaluated-items", array, { ...array, unevaluatedItems: false }],
        ["unevaluated-properties", open, {
          ...open,
          unevaluatedProperties: false,
        }],
        ["content-schema", media, { ...media, contentSchema: needed }],
      ] as const).map(([name, wide, narrow]) => [
        `{request-body-${name}-added,request-property-${name}-added,response-body-${name}-removed,response-property-${name}-removed}`,
        [wide, narrow],
      ]),
    ),
    "{request-body-min-contains-increased,request-property-min-contains-increased,response-body-min-contains-decreased,response-property-min-contains-decreased}":
      [contained, { ...contained, minContains: 2 }],
    "{request-body-max-contains-decreased,request-property-max-contains-decreased,response-body-max-contains-increased,response-property-max-contains-increased}":
      [{ ...contained, maxContains: 3 }, { ...contained, maxContains: 2 }],
    "{request,response}-{body,property}-dependent-required-changed": [
      { ...open, dependentRequired: { a: ["b"] } },
      { ...open, dependentRequired: { a: ["c"] } },
    ],
    "{request,response}-{body,property}-content-media-type-changed": [
      media,
      { ...media, contentMediaType: "text/html" },
    ],
    "{request,response}-{body,property}-content-encoding-changed": [
      { ...media, contentEncoding: "base64" },
      { ...media, contentEncoding: "base32" },
    ],
  } as Record<string, readonly [JsonSchema, JsonSchema]>);

const defaulted = (value: string) => ({
  ...open,
  properties: { a: { ...string, default: value } },
});
const headers = (json: JsonSchema) => ({
  response: { 200: { headers: form(json) } },
});

/** For the names of rules, two versions of `schema.post`. */
const ROUTES: Readonly<Record<string, Pair>> = expanded({
  "request-body-added-required": { before: {}, after: { body: form(open) } },
  "request-body-removed": { before: { body: form(open) }, after: {} },
  "request-body-became-required": {
    before: { body: schemaOf(undefined, () => open) },
    after: { body: form(open) },
  },
  "request-body-media-type-schema-added": {
    before: { body: form() },
    after: { body: form(needed) },
  },
  "response-body-media-type-schema-removed": {
    before: { response: form(needed) },
    after: { response: form() },
  },
  "response-media-type-removed": {
    before: { response: { 200: content("text/csv") } },
    after: { response: { 200: content("text/plain") } },
  },
  "new-request-path-parameter": { before: {}, after: {}, folder: "[key]" },
  "new-required-request-parameter": {
    before: {},
    after: { query: form(needed) },
  },
  "new-required-request-header-property": {
    before: { headers: form(object(open)) },
    after: { headers: form(object(needed)) },
  },
  "request-parameter-removed": { before: { query: form(member) }, after: {} },
  "request-parameter-became-required": {
    before: { query: form(member) },
    after: { query: form(needed) },
  },
  "request-parameter-default-value-changed": {
    before: { query: form(defaulted("a")) },
    after: { query: form(defaulted("b")) },
  },
  "request-parameter-default-value-removed": {
    before: { query: form(defaulted("a")) },
    after: { query: form(member) },
  },
  "response-header-became-optional": {
    before: headers(needed),
    after: headers(member),
  },
  "required-response-header-removed": {
    before: headers(needed),
    after: { response: { 200: {} } },
  },
  "response-property-became-optional": {
    before: { response: form(needed) },
    after: { response: form(member) },
  },
  "response-required-property-removed": {
    before: { response: form(needed) },
    after: {
      response: form({ ...needed, properties: { b: string }, required: ["b"] }),
    },
  },
  "response-success-status-removed": {
    before: { response: { 200: {}, 201: {} } },
    after: { response: { 200: {} } },
  },
  "{api-path,api}-removed-without-deprecation": {
    before: {},
    after: {},
    folder: "other",
  },
  "{api-path,api}-removed-before-sunset": {
    before: {},
    after: {},
    folder: "other",
    operation: { deprecated: true, "x-sunset": "2999-01-01" },
  },
  "api-sunset-date-too-small": {
    before: {},
    after: { deprecated: { sunset: "2000-01-01" } },
  },
  "api-sunset-date-changed-too-small": {
    before: { deprecated: { sunset: "2999-01-01" } },
    after: { deprecated: { sunset: "2998-01-01" } },
  },
  "api-path-sunset-parse": {
    before: {},
    after: {},
    folder: "other",
    operation: { deprecated: true, "x-sunset": "soon" },
  },
});

/** The rules that a pair of route files tests. */
export const TESTED: Readonly<Record<string, Pair>> = {
  ...ROUTES,
  ...Object.fromEntries(
    Object.entries(SCHEMAS).map(([rule, [wide, narrow]]) => {
      const place = PLACES.find(([start]) => start.test(rule))![1];
      const [before, after] = rule.startsWith("response")
        ? [narrow, wide]
        : [wide, narrow];
      return [rule, { before: place(before), after: place(after) }];
    }),
  ),
};
