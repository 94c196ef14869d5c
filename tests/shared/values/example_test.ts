import type { JsonSchema } from "@bough/framework/openapi";
import { assert, assertEquals, assertNotEquals } from "@std/assert";
import { z } from "zod";
import { createExample } from "../../../src/shared/values/example.ts";
import { checkRandomExamples, faultsOf } from "./random.ts";
import { assertCpuTime } from "../../support/cpu_time.ts";

/** A schema that no value fits. */
const NOTHING = { type: "integer", minimum: 2, maximum: 1 };

/** Schemas with the example that a person would write. */
const CASES: readonly (readonly [JsonSchema, unknown, string?])[] = [
  // The values in the schema come first.
  [{ type: "string", examples: ["Emma", "Persuasion"] }, "Emma"],
  [{ type: "string", example: "Emma", default: "x" }, "Emma"],
  [{ type: "integer", default: 20, minimum: 0 }, 20],
  [{ type: "string", default: "" }, ""],
  [{ type: "boolean", default: false }, false],
  [{ const: "book" }, "book"],
  [{ const: 0 }, 0],
  [{ enum: ["new", "used"] }, "new"],
  [{ enum: [null, "used"] }, "used"],
  [{ enum: [null] }, null],
  [{ enum: [] }, undefined],
  [{ type: "string", examples: [] }, "Title", "title"],

  // Numbers near 1, inside their bounds.
  [{ type: "integer", minimum: -(2 ** 53) + 1, maximum: 2 ** 53 - 1 }, 1],
  [{ type: "number" }, 1],
  [{ type: "integer", minimum: 1900, maximum: 2100 }, 1900],
  [{ type: "integer", maximum: -3 }, -3],
  [{ type: "integer", exclusiveMinimum: 1 }, 2],
  [{ type: "integer", exclusiveMaximum: 1 }, 0],
  [{ type: "integer", exclusiveMinimum: 1.5, maximum: 2.5 }, 2],
  [{ type: "number", exclusiveMinimum: 0, exclusiveMaximum: 1 }, 0.5],
  [{ type: "number", minimum: 0, maximum: 0.5 }, 0],
  [{ type: "integer", multipleOf: 5 }, 5],
  [{ type: "integer", multipleOf: 5, minimum: 11 }, 15],
  [{ type: "integer", multipleOf: 5, maximum: -1 }, -5],
  [{ type: "number", multipleOf: 0.5 }, 1],
  [{ type: "integer", multipleOf: 1.5 }, 3],
  [{ type: "integer", multipleOf: Math.PI, minimum: 1 }, undefined],
  [{ type: "integer", minimum: 2.5 }, 3],
  [{ type: "number", multipleOf: 0.25, minimum: 0.3, maximum: 0.9 }, 0.5],
  [{ type: "integer", minimum: 2, maximum: 1 }, undefined],
  [{ type: ["null", "integer"], minimum: 0 }, 1],
  [{ minimum: 3 }, 3],

  // Strings by format, by name, by length, by pattern.
  [{ type: "string", format: "email" }, "ada@example.com"],
  [{ format: "date-time" }, "2026-03-14T09:30:00Z"],
  [{ type: "string", format: "date" }, "2026-03-14"],
  [{ type: "string", format: "uri" }, "https://example.com/"],
  [
    { type: "string", format: "uuid" },
    "7c9e6679-7425-40de-944b-e07fc1f90ae7",
  ],
  [{ type: "string", format: "unheard-of" }, "Title", "title"],
  [{ type: "string", format: "binary" }, undefined],
  [{ type: "string", contentEncoding: "base64" }, "Qm91Z2g="],
  [{ type: "string" }, "Text"],
  [{ type: "string" }, "London", "city"],
  [{ type: "string" }, "GB", "country"],
  [{ type: "string" }, "EUR", "currency"],
  [{ type: "string" }, "ada@example.com", "email"],
  [{ type: "string" }, "key", "key"],
  [{ type: "string" }, "en", "language"],
  [{ type: "string" }, "Lovelace", "last_name"],
  [{ type: "string" }, "correct horse battery staple", "password"],
  [{ type: "string" }, "+1 555 0100", "phone"],
  [{ type: "string" }, "https://example.com/", "url"],
  [{ type: "string" }, "https://example.com/", "website"],
  [{ type: "string" }, "Street name", "streetName"],
  [{ type: "string" }, "Shelf2 row", "shelf2Row"],
  [{ type: "string" }, "Http status code", "HTTP_status-code"],
  [{ type: "string" }, "Ada", "firstName"],
  [{ type: "string" }, "Constructor", "constructor"],
  [{ type: "string", maxLength: 3 }, "Tit", "title"],
  [{ type: "string", minLength: 0 }, "Title", "title"],
  [{ type: "string", minLength: 10 }, "Title and.", "title"],
  [{ type: "string", minLength: 14 }, "Title and more", "title"],
  [{ type: "string", minLength: 15 }, "Title and more.", "title"],
  [{ type: "string", minLength: 6, maxLength: 6 }, "Title.", "title"],
  [{ type: "string", minLength: 10_001 }, undefined],
  [{ type: "string", maxLength: 3, minLength: 4 }, undefined],
  [{ type: "string", pattern: "^[1-9]\\d{0,14}$" }, "1", "bookId"],
  [{ type: "string", pattern: "^\\d{3}$" }, "123"],
  [{ type: "string", pattern: "^[A-Z]{2}-\\d{4}$" }, "AB-1234", "number"],
  [{ type: "string", pattern: "^(?:INV|inv)_[0-9a-f]+$" }, "INV_a"],
  [
    { type: "string", pattern: "^[a-z]+(?:-[a-z]+)*$" },
    "first-part",
    "first part",
  ],
  [{ pattern: "^\\d{4}-\\d\\d-\\d\\d$" }, "2026-03-14", "from"],
  [{ pattern: "^[^@]+@[^@]+$" }, "ada@example.com", "to"],
  // Dates and times without a zone, as forms send them.
  [{ pattern: "^[\\d-]+T[\\d:]+$" }, "2026-03-14T09:30:00"],
  [{ pattern: "^[\\d-]+T\\d\\d:\\d\\d$" }, "2026-03-14T09:30"],
  [{ pattern: "^\\d\\d:\\d\\d:\\d\\d$" }, "09:30:00"],
  [{ pattern: "^\\d\\d:\\d\\d$" }, "09:30"],
  // Other forms of a format.
  [{ format: "date-time", pattern: "^[^Z]{19}$" }, "2026-03-14T09:30:00"],
  [{ format: "date-time", pattern: "^.{16}$" }, "2026-03-14T09:30"],
  [{ format: "time", pattern: "^[^Z]{8}$" }, "09:30:00"],
  [{ format: "time", pattern: "^.{5}$" }, "09:30"],
  [
    { format: "uuid", pattern: "^.{14}4" },
    "7c9e6679-7425-40de-944b-e07fc1f90ae7",
  ],
  [
    { format: "uuid", pattern: "^.{14}7" },
    "0198c0f2-6f5a-7b1c-9d3e-2f4a6b8c0d1e",
  ],
  // The printable characters of ASCII.
  [{ pattern: "^[!-#]$" }, "!"],
  [{ pattern: "^[^ -}]$" }, "~"],
  [{ pattern: "^[^ -~]$" }, undefined],
  [{ type: "string", pattern: "^#[\\da-fA-F]{6}$" }, "#abcdef", "color"],
  [{ type: "string", pattern: "^\\p{Lu}$" }, "A"],
  [{ type: "string", pattern: "^[^a-z]\\.\\x41[\\]x]é$" }, "A.Axé"],
  [{ type: "string", pattern: "^v\\d+$", minLength: 5 }, "v1234"],
  [{ type: "string", pattern: "^(?!0)\\d$" }, "1"],
  [{ type: "string", pattern: "^(a)\\1$" }, undefined],
  [{ type: "string", pattern: "(" }, undefined],
  [{ type: "string", pattern: "^(?=b)a$" }, undefined],

  // Lists.
  [{ type: "array", items: { type: "string" } }, ["Tag"], "tags"],
  [{ type: "array", items: { type: "string" } }, ["Address"], "address"],
  [{ type: "array" }, []],
  [{ items: { type: "null" } }, [null]],
  [{ type: "array", items: { type: "integer" }, minItems: 2 }, [1, 1]],
  [{ type: "array", items: { type: "integer" }, maxItems: 0 }, []],
  [{ type: "array", items: false }, []],
  [{ type: "array", items: NOTHING }, []],
  [{ type: "array", items: NOTHING, minItems: 1 }, undefined],
  [{ type: "array", items: { type: "null" }, minItems: 1e6 }, undefined],
  [
    { prefixItems: [{ type: "integer" }, { type: "boolean" }], items: false },
    [1, true],
  ],
  [{ prefixItems: [{ type: "integer" }], items: { type: "null" } }, [1, null]],
  [{ prefixItems: [NOTHING] }, undefined],
  [
    { items: { enum: ["a", "b", "c"] }, minItems: 2, uniqueItems: true },
    ["a", "b"],
  ],
  [
    { items: { type: "integer" }, minItems: 2, uniqueItems: true },
    undefined,
  ],

  // Objects.
  [{}, {}],
  [{ type: "object" }, {}],
  [
    {
      properties: {
        id: { type: "integer" },
        email: { type: "string" },
        picture: { type: "string", format: "binary" },
      },
      required: ["id"],
    },
    { id: 1, email: "ada@example.com" },
  ],
  [{ properties: { a: NOTHING }, required: ["a"] }, undefined],
  [
    { required: ["a"], additionalProperties: { type: "integer" } },
    { a: 1 },
  ],
  [{ required: ["a"] }, { a: {} }],
  [{ additionalProperties: { type: "integer" } }, { key: 1 }],
  [
    {
      propertyNames: { pattern: "^\\d\\d$" },
      additionalProperties: { type: "boolean" },
    },
    { "12": true },
  ],

  // Unions and parts.
  [{ anyOf: [{ type: "null" }, { type: "integer" }] }, 1],
  [{ anyOf: [{ type: "null" }, NOTHING] }, null],
  [{ oneOf: [NOTHING, { const: 2 }] }, 2],
  [
    {
      type: "object",
      required: ["a"],
      anyOf: [{ properties: { a: { const: 1 } } }],
    },
    { a: 1 },
  ],
  [
    {
      anyOf: [{ properties: { a: { const: 1 } } }],
      oneOf: [{ properties: { b: { const: 2 } } }],
    },
    { a: 1, b: 2 },
  ],
  [
    {
      allOf: [
        { type: "number", minimum: 2 },
        { type: "integer", minimum: 1, maximum: 9 },
      ],
      maximum: 8,
    },
    2,
  ],
  [{ allOf: [{ pattern: "^a" }, { pattern: "b$" }] }, "ab"],
  [{ allOf: [{ pattern: "^a$" }, { pattern: "^b$" }] }, undefined],
  [{ allOf: [{ pattern: "^T" }, { pattern: "t$" }] }, "Text"],
  [{ allOf: [{ enum: [1, 2] }, { enum: [2, 3] }] }, 2],
  [
    { allOf: [{ type: ["number", "string"] }, { type: ["null", "string"] }] },
    "Text",
  ],
  [{ allOf: [true, false] }, undefined],
  [{ allOf: [{ items: { type: "integer" } }, { items: { minimum: 5 } }] }, [5]],
  [
    {
      allOf: [
        { properties: { a: { type: "integer" } }, required: ["a"] },
        { properties: { a: { minimum: 5 }, b: { type: "null" } } },
      ],
    },
    { a: 5, b: null },
  ],
  [
    {
      allOf: [
        { properties: { a: { type: "integer", minimum: 5 } }, required: ["a"] },
        { properties: { a: { multipleOf: 4 } } },
      ],
    },
    { a: 8 },
  ],
];

for (const [schema, expected, name = ""] of CASES) {
  Deno.test(`an example of ${name} ${JSON.stringify(schema)}`, () => {
    const example = createExample(schema, { name });
    assertEquals(example, expected);
    // Without a zone, a time does not fit its format.
    const { format: _, ...rest } = schema;
    const checked = schema.pattern === undefined ? schema : rest;
    if (example !== undefined) assertEquals(faultsOf(checked, example), "");
  });
}

Deno.test("an example resolves references", () => {
  const root = { components: { schemas: { "A/b~c": { type: "integer" } } } };
  for (
    const reference of [
      "#/components/schemas/A~1b~0c",
      "#/components/schemas/A%7E1b%7E0c",
    ]
  ) {
    assertEquals(createExample({ $ref: reference }, { root }), 1);
  }
  assertEquals(
    createExample({ $ref: "#/components/schemas/A~1b~0c", minimum: 7 }, {
      root,
    }),
    7,
  );
  for (const $ref of ["#/none", "other.json#/a", "#/components/schemas/x/y"]) {
    assertEquals(createExample({ $ref }, { root }), {});
  }
});

Deno.test("the search ends for a pattern with nested repetitions", async () => {
  for (const [inner, minLength] of [["a+", 3_000], ["()*", 1]] as const) {
    const pattern = `^${"(".repeat(9)}${inner}${")+".repeat(9)}$`;
    // Without a limit, the search would take years.
    await assertCpuTime(20_000, () => {
      assertEquals(createExample({ pattern, minLength }), undefined);
    });
  }
  const nested = { pattern: "^(?:[a-z]+(?:-[0-9]+)*;)+$" };
  assertEquals(createExample(nested), "a;");
});

Deno.test("a property of an example may have any name", () => {
  const properties = JSON.parse('{ "__proto__": { "type": "integer" } }');
  const example = createExample({ properties, required: ["toString"] });
  assertEquals(JSON.stringify(example), '{"__proto__":1,"toString":{}}');
});

Deno.test("an example follows a reference to itself once", () => {
  const comment = {
    type: "object",
    properties: {
      text: { type: "string" },
      parent: { $ref: "#" },
      replies: { type: "array", items: { $ref: "#" } },
      last: { anyOf: [{ $ref: "#" }, { type: "null" }] },
    },
    required: ["text", "replies", "last"],
  };
  assertEquals(createExample(comment), {
    text: "Text",
    parent: { text: "Text", replies: [], last: null },
    replies: [{ text: "Text", replies: [], last: null }],
    last: { text: "Text", replies: [], last: null },
  });
  const endless = { properties: { next: { $ref: "#" } }, required: ["next"] };
  assertEquals(createExample(endless), undefined);
});

Deno.test("an example of schemas that all refer to each other stays small", () => {
  const names = Array.from({ length: 20 }, (_, index) => `S${index}`);
  const properties = Object.fromEntries(
    names.map((name) => [name, { $ref: `#/$defs/${name}` }]),
  );
  const definition = {
    type: "object",
    properties: { id: { type: "integer" }, ...properties },
    required: ["id"],
  };
  const schema = {
    $ref: "#/$defs/S0",
    $defs: Object.fromEntries(names.map((name) => [name, definition])),
  };
  const example = createExample(schema);
  assertEquals(faultsOf(schema, example), "");
  assert(JSON.stringify(example).length < 10_000);
  const demanding = {
    ...schema,
    $defs: Object.fromEntries(
      names.map((name) => [name, { ...definition, required: names }]),
    ),
  };
  assertEquals(createExample(demanding), undefined);
});

Deno.test("the items of an example count, although they are equal", () => {
  const $defs = Object.fromEntries(
    Array.from({ length: 20 }, (_, index) => [`S${index + 1}`, {
      type: "array",
      items: { $ref: `#/$defs/S${index}` },
      minItems: 2,
    }]),
  );
  const exampleOf = (depth: number) =>
    createExample({
      $ref: `#/$defs/S${depth}`,
      $defs: { ...$defs, S0: { type: "string" } },
    });
  const pair = ["Text", "Text"];
  assertEquals(exampleOf(2), [pair, pair]);
  assertEquals(exampleOf(20), undefined);
});

Deno.test("zod accepts the example of its own JSON Schema", () => {
  const schema = z.object({
    v7: z.uuidv7(),
    nanoid: z.nanoid(),
    cuid: z.cuid(),
    cuid2: z.cuid2(),
    ulid: z.ulid(),
    local: z.iso.datetime({ local: true }),
    code: z.string().regex(/^[A-Z]{3}$/).regex(/C$/),
    start: z.string().startsWith("INV-").endsWith("-x"),
    count: z.number().int().positive().max(10),
    price: z.number().multipleOf(0.01).nonnegative(),
    tags: z.array(z.string().min(2)).min(1).max(3),
    pair: z.tuple([z.string(), z.number()]),
    scores: z.record(z.string(), z.number()),
    limits: z.record(z.enum(["low", "high"]), z.number()),
    parent: z.object({ id: z.int() }).nullable(),
    event: z.discriminatedUnion("type", [
      z.object({ type: z.literal("paid"), on: z.iso.date() }),
      z.object({ type: z.literal("sent") }),
    ]),
    both: z.object({ a: z.string() }).and(z.object({ b: z.number() })),
    any: z.any(),
    note: z.string().default("none"),
  });
  const example = createExample(
    z.toJSONSchema(schema, { io: "input" }) as JsonSchema,
  );
  assertNotEquals(example, undefined);
  const result = schema.safeParse(example);
  assert(result.success, JSON.stringify(result.error?.issues, null, 2));
});

Deno.test("the examples of random schemas are valid", () => {
  checkRandomExamples(100);
});
