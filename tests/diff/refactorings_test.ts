import { assertEquals } from "@std/assert";
import { type Change, diffDocuments } from "@bough/framework/diff";
import {
  createDocument,
  type JsonSchema,
  type OpenApiDocument,
} from "@bough/framework/openapi";
import { FolderApplication } from "../support/application.ts";

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

/** Two schemas of zod that accept equal values. */
const ZOD: Readonly<Record<string, readonly [string, string]>> = {
  "z.union of literals and z.enum": [
    'z.union([z.literal("a"), z.literal("b")])',
    'z.enum(["a", "b"])',
  ],
  "z.literal and z.enum": ['z.literal(["b", "a"])', 'z.enum(["a", "b"])'],
  "one z.literal and z.enum": ['z.literal("a")', 'z.enum(["a"])'],
  "nullable and union": [
    "z.object({ a: z.string().nullable() })",
    "z.object({ a: z.union([z.null(), z.string()]) })",
  ],
  "nullish, optional and nullable": [
    "z.object({ a: z.string().nullish() })",
    "z.object({ a: z.string().nullable().optional() })",
  ],
  "z.int and int()": ["z.int().min(1)", "z.number().int().positive()"],
  "an intersection and extend": [
    "z.object({ a: z.string() }).and(z.object({ b: z.number() }))",
    "z.object({ a: z.string() }).extend({ b: z.number() })",
  ],
  "pick and omit": [
    "z.object({ a: z.string(), b: z.number() }).pick({ a: true })",
    "z.object({ a: z.string(), b: z.number() }).omit({ b: true })",
  ],
  "partial and optional": [
    "z.object({ a: z.string() }).partial()",
    "z.object({ a: z.string().optional() })",
  ],
  "strictObject and strict": [
    "z.strictObject({ a: z.string() })",
    "z.object({ a: z.string() }).strict()",
  ],
  "a name": [
    'z.object({ a: z.object({ b: z.string() }).meta({ id: "Inner" }) })',
    "z.object({ a: z.object({ b: z.string() }) })",
  ],
  "lazy, brand and readonly": [
    "z.object({ a: z.lazy(() => z.string()) }).readonly()",
    'z.object({ a: z.string().brand("A") })',
  ],
  "an email address in zod and Valibot": [
    "z.email()",
    "toStandardJsonSchema(v.pipe(v.string(), v.email()))",
  ],
  "a UUID in zod and Valibot": [
    "z.uuid()",
    "toStandardJsonSchema(v.pipe(v.string(), v.uuid()))",
  ],
  "a refinement": [
    "z.string().refine((text) => text.trim() !== '')",
    "z.string()",
  ],
  "a transform": [
    "z.object({ a: z.string().transform(Number).pipe(z.number()) })",
    "z.object({ a: z.string().transform((text) => +text).pipe(z.number()) })",
  ],
  "a discriminated union": [
    'z.discriminatedUnion("k", [z.object({ k: z.literal("a") }), z.object({ k: z.literal("b") })])',
    'z.union([z.object({ k: z.literal("b") }), z.object({ k: z.literal("a") })])',
  ],
};

/** Schemas of zod, Valibot and ArkType that accept equal values. */
const LIBRARIES: Readonly<Record<string, readonly [string, string, string]>> = {
  string: ["z.string()", "v.string()", '"string"'],
  number: ["z.number()", "v.number()", '"number"'],
  boolean: ["z.boolean()", "v.boolean()", '"boolean"'],
  null: ["z.null()", "v.null()", '"null"'],
  lengths: [
    "z.string().min(2).max(9)",
    "v.pipe(v.string(), v.minLength(2), v.maxLength(9))",
    '"2 <= string <= 9"',
  ],
  pattern: [
    "z.string().regex(/^a+$/)",
    "v.pipe(v.string(), v.regex(/^a+$/))",
    '"/^a+$/"',
  ],
  range: [
    "z.number().min(1).lt(9)",
    "v.pipe(v.number(), v.minValue(1), v.ltValue(9))",
    '"1 <= number < 9"',
  ],
  integer: ["z.int()", "v.pipe(v.number(), v.integer())", '"number.integer"'],
  multiple: [
    "z.number().multipleOf(5)",
    "v.pipe(v.number(), v.multipleOf(5))",
    '"number % 5"',
  ],
  literal: ['z.literal("a")', 'v.literal("a")', "\"'a'\""],
  enum: ['z.enum(["a", "b"])', 'v.picklist(["b", "a"])', "\"'a' | 'b'\""],
  array: ["z.array(z.string())", "v.array(v.string())", '"string[]"'],
  items: [
    "z.array(z.string()).min(1).max(3)",
    "v.pipe(v.array(v.string()), v.minLength(1), v.maxLength(3))",
    '"1 <= string[] <= 3"',
  ],
  tuple: [
    "z.tuple([z.string(), z.number()])",
    "v.strictTuple([v.string(), v.number()])",
    '["string", "number"]',
  ],
  optional: [
    "z.object({ a: z.string().optional(), b: z.number() })",
    "v.object({ a: v.optional(v.string()), b: v.number() })",
    '{ "a?": "string", b: "number" }',
  ],
  nullable: [
    "z.string().nullable()",
    "v.nullable(v.string())",
    '"string | null"',
  ],
  record: [
    "z.record(z.string(), z.number())",
    "v.record(v.string(), v.number())",
    '{ "[string]": "number" }',
  ],
  union: [
    "z.union([z.string(), z.object({ a: z.number() })])",
    "v.union([v.string(), v.object({ a: v.number() })])",
    '["string", "|", { a: "number" }]',
  ],
  tagged: [
    'z.discriminatedUnion("k", [z.object({ k: z.literal("a") }), z.object({ k: z.literal("b"), n: z.int() })])',
    'v.variant("k", [v.object({ k: v.literal("a") }), v.object({ k: v.literal("b"), n: v.pipe(v.number(), v.integer()) })])',
    'type({ k: "\'a\'" }).or({ k: "\'b\'", n: "number.integer" })',
  ],
  nested: [
    "z.object({ a: z.object({ b: z.array(z.object({ c: z.boolean() })) }) })",
    "v.object({ a: v.object({ b: v.array(v.object({ c: v.boolean() })) }) })",
    'type({ a: { b: type({ c: "boolean" }).array() } })',
  ],
  recursive: [
    "(() => { const N = z.object({ v: z.string(), get n() { return N.optional(); } }); return N; })()",
    "(() => { const N = v.object({ v: v.string(), n: v.optional(v.lazy(() => N)) }); return N; })()",
    'scope({ N: { v: "string", "n?": "N" } }).export().N',
  ],
};

const SHARED = `
  export { z } from "npm:zod@^4.1.13";
  export * as v from "npm:valibot@^1.2.0";
  export { toStandardJsonSchema } from "npm:@valibot/to-json-schema@^1.8.0";
  export { scope, type } from "npm:arktype@^2.2.9";
  export const form = (json) => ({ "~standard": {
    version: 1, vendor: "mine", validate: (value) => ({ value }),
    jsonSchema: { input: () => json, output: () => json },
  } });
`;

const valibot = (source: string) => `toStandardJsonSchema(${source})`;
const arktype = (source: string) =>
  /^(type|scope)\(/.test(source) ? source : `type(${source})`;

/** The sources of equal schemas. */
const SOURCES: readonly (readonly [name: string, string, string])[] = [
  ...Object.entries(JSON_SCHEMAS).map(([name, pair]) => {
    const [first, second] = pair.map((json) => `form(${JSON.stringify(json)})`);
    return [name, first!, second!] as const;
  }),
  ...Object.entries(ZOD).map(([name, pair]) => [name, ...pair] as const),
  ...Object.entries(LIBRARIES).flatMap(([name, [zod, second, third]]) => [
    [`${name} in zod and Valibot`, zod, valibot(second)] as const,
    [
      `${name} in Valibot and ArkType`,
      valibot(second),
      arktype(third),
    ] as const,
    [`${name} in ArkType and zod`, arktype(third), zod] as const,
  ]),
];

async function documentOf(
  files: Readonly<Record<string, string>>,
): Promise<OpenApiDocument> {
  await using application = await FolderApplication.create(files);
  return createDocument(await application.app.routes(), {
    info: { title: "Refactorings", version: "1.0.0" },
  }).document;
}

/** The document of an application with one route for each schema. */
function documentWith(version: 1 | 2): Promise<OpenApiDocument> {
  const routes = SOURCES.map((each, index) => [
    `r${index}/route.ts`,
    `import { form, scope, toStandardJsonSchema, type, v, z } from "../_shared.ts";
     const schema_ = ${each[version]};
     export const schema = { post: { body: schema_, response: schema_ } };
     export const POST = () => new Response();`,
  ]);
  return documentOf({ "_shared.ts": SHARED, ...Object.fromEntries(routes) });
}

/** The changes in both directions. */
async function changesOf(
  first: OpenApiDocument,
  second: OpenApiDocument,
): Promise<Change[]> {
  return [
    ...await diffDocuments(first, second),
    ...await diffDocuments(second, first),
  ];
}

function textOf({ verdict, operation, place, message, value }: Change): string {
  return [verdict, operation, place, message, JSON.stringify(value)].join(" ");
}

Deno.test("schemas that accept equal values have no change", async () => {
  const all = await changesOf(await documentWith(1), await documentWith(2));
  const found = Map.groupBy(all, ({ operation }) => operation.split("/r")[1]!);
  assertEquals(
    found.entries().map(([index, changes]) =>
      `${SOURCES[Number(index)]![0]}: ${changes.map(textOf).join("\n")}`
    ).toArray(),
    [],
  );
});

const HANDLER = "export const GET = () => new Response();";
const Z = 'import { z } from "npm:zod@^4.1.13";';
const QUERY = "z.object({ page: z.string().optional() })";
const METHOD =
  `${Z} export const schema = { get: { query: ${QUERY} } }; ${HANDLER}`;
const CONTRACT = (members: string) =>
  `${Z} export const contract = ${members};`;

/** Files of two applications with equal documents. */
const FILES: Readonly<
  Record<string, readonly [Record<string, string>, Record<string, string>]>
> = {
  "a file in a group": [
    { "books/route.ts": METHOD },
    { "(shop)/books/route.ts": METHOD },
  ],
  "a file in two groups": [
    { "(shop)/books/route.ts": METHOD },
    { "(all)/books/(list)/route.ts": METHOD },
  ],
  "a schema in another file": [
    { "books/route.ts": METHOD },
    {
      "books/_query.ts": `${Z} export const query = ${QUERY};`,
      "books/route.ts": `import { query } from "./_query.ts";
        export const schema = { get: { query } }; ${HANDLER}`,
    },
  ],
  "a query in the contract of a folder": [
    { "books/route.ts": METHOD },
    {
      "books/middleware.ts": CONTRACT(`{ query: ${QUERY} }`),
      "books/route.ts": HANDLER,
    },
  ],
  "a query in the contract of a group": [
    { "books/route.ts": METHOD },
    {
      "(shop)/middleware.ts": CONTRACT(`{ query: ${QUERY} }`),
      "(shop)/books/route.ts": HANDLER,
    },
  ],
  "a query in two contracts": [
    {
      "books/route.ts": METHOD.replace(
        QUERY,
        `${QUERY}.extend({ a: z.int() })`,
      ),
    },
    {
      "middleware.ts": CONTRACT("{ query: z.object({ a: z.int() }) }"),
      "books/route.ts": METHOD,
    },
  ],
  "params in the contract of a folder": [
    {
      "books/[id]/route.ts": METHOD.replace(
        /query: .*? } }/,
        "params: z.object({ id: z.uuid() }) } }",
      ),
    },
    {
      "books/[id]/middleware.ts": CONTRACT(
        "{ params: z.object({ id: z.uuid() }) }",
      ),
      "books/[id]/route.ts": HANDLER,
    },
  ],
  "responses in the contract of a folder": [
    {
      "books/route.ts": METHOD.replace(
        "get: {",
        "get: { response: { 200: {}, 409: z.string() },",
      ),
    },
    {
      "books/middleware.ts": CONTRACT("{ response: { 409: z.string() } }"),
      "books/route.ts": METHOD.replace(
        "get: {",
        "get: { response: { 200: {} },",
      ),
    },
  ],
  "a handler and its schema as constants": [
    { "books/route.ts": METHOD },
    {
      "books/route.ts": `${Z}
        const get = { query: ${QUERY}, summary: "Books", tags: ["shop"] };
        export const schema = { get };
        export function GET() { return new Response(); }`,
    },
  ],
};

for (const [name, [first, second]] of Object.entries(FILES)) {
  Deno.test(`${name} is no change`, async () => {
    const all = await changesOf(
      await documentOf(first),
      await documentOf(second),
    );
    assertEquals(all.map(textOf), []);
  });
}

Deno.test("a new optional number in a form is compatible", async () => {
  const [before, after] = await Promise.all(
    [{ a: string }, { a: string, b: number }].map((properties) =>
      documentOf({
        "_shared.ts": SHARED,
        "books/route.ts": `import { form } from "../_shared.ts";
          export const schema = {
            post: { body: form(${JSON.stringify({ ...open, properties })}) },
          };
          export const POST = () => new Response();`,
      })
    ),
  );
  assertEquals((await diffDocuments(before!, after!)).map(textOf), []);
});
