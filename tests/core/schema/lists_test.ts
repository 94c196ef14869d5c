import { Framework, type FrameworkRequest } from "@bough/framework";
import { createClient } from "@bough/framework/client";
import { form, type StreamedForm } from "@bough/framework/uploads";
import { assertEquals } from "@std/assert";
import { toStandardJsonSchema } from "npm:@valibot/to-json-schema@^1.8.0";
import { type } from "npm:arktype@^2.2.9";
import * as v from "valibot";
import { z } from "zod";
import { TestApplication } from "../../support/application.ts";
import { schemaOf } from "../../support/schema_of.ts";
import type { StandardSchemaV1 } from "../../../mod.ts";

/** The ways to send values: in a query, in forms, and in a form that is streamed. */
const CARRIERS = ["query", "urlencoded", "multipart", "streamed"] as const;
type Carrier = typeof CARRIERS[number];

function multipart(query: string): FormData {
  const form = new FormData();
  for (const [name, value] of new URLSearchParams(query)) {
    form.append(name, value);
  }
  return form;
}

const BODIES: Readonly<
  Record<Exclude<Carrier, "query">, (query: string) => BodyInit>
> = {
  // Without a pair, the form would have no bytes, so the body would be absent.
  urlencoded: (query) => new URLSearchParams(query || "-"),
  multipart,
  streamed: multipart,
};

/** Returns the outputs of a schema for sent values, or the invalid places. */
async function answers(
  schema: StandardSchemaV1,
  queries: readonly string[],
  carrier: Carrier = "query",
): Promise<unknown[]> {
  const application = TestApplication.of({
    "query/route.ts": {
      schema: { get: { query: schema } },
      GET: ({ validated }) => Response.json(validated.query ?? {}),
    },
    "form/route.ts": {
      schema: { post: { body: schema } },
      POST: ({ validated }) => Response.json(validated.body ?? {}),
    },
    "streamed/route.ts": {
      schema: { post: { body: form({ fields: schema, files: {} }) } },
      POST: ({ validated }) =>
        Response.json((validated.body as StreamedForm<unknown>).fields ?? {}),
    },
  });
  return await Promise.all(queries.map(async (query) => {
    const response = carrier === "query"
      ? await application.fetch(`/api/query${query}`)
      : await application.fetch(
        carrier === "streamed" ? "/api/streamed" : "/api/form",
        { method: "POST", body: BODIES[carrier](query.slice(1)) },
      );
    const { errors, ...output } = await response.json();
    return errors?.map(({ pointer }: { pointer: string }) => pointer) ?? output;
  }));
}

const QUERIES = [
  ...["?all=a&some=a&few=a", "?all=a&all=b&few=b&few=c", "", "?all=,&x=1"],
  ...["?one=a", "?one=a&one=b", "?both=a", "?both=a&both=b", "?all=&nine=9"],
];

const ANSWERS = [
  { all: ["a"], some: ["a"], few: ["a"] },
  { all: ["a", "b"], few: ["b", "c"] },
  { all: [], few: ["x"] },
  { all: [","], few: ["x"] },
  { all: [], few: ["x"], one: "a" },
  ["#/one"],
  { all: [], few: ["x"], both: "a" },
  { all: [], few: ["x"], both: ["a", "b"] },
  { all: [""], few: ["x"], nine: [9] },
];

const texts = v.array(v.string());
const VALIBOT = v.object({
  all: texts,
  some: v.optional(texts),
  few: v.optional(v.pipe(texts, v.minLength(1)), ["x"]),
  one: v.optional(v.string()),
  both: v.optional(v.union([v.string(), texts])),
  nine: v.optional(v.array(v.pipe(v.string(), v.transform(Number)))),
});

const strings = z.array(z.string());

const LIBRARIES: Readonly<Record<string, StandardSchemaV1>> = {
  zod: z.object({
    all: strings,
    some: strings.optional(),
    few: strings.min(1).default(["x"]),
    one: z.string().optional(),
    both: z.union([z.string(), strings]).optional(),
    nine: z.array(z.coerce.number()).optional(),
  }),
  "valibot with its JSON Schema": toStandardJsonSchema(VALIBOT),
  arktype: type({
    all: "string[]",
    "some?": "string[]",
    few: type("string[] > 0").default(() => ["x"]),
    "one?": "string",
    "both?": "string | string[]",
    "nine?": "string.numeric.parse[]",
    "+": "delete",
  }),
};

for (const [library, schema] of Object.entries(LIBRARIES)) {
  for (const carrier of CARRIERS) {
    Deno.test(`a list is a list for one value or none (behaviour 7.1): ${carrier}, ${library}`, async () => {
      assertEquals(await answers(schema, QUERIES, carrier), ANSWERS);
    });
  }
}

Deno.test("without a JSON Schema, a rejected value may be a list, but an absent list stays absent (behaviour 7.1)", async () => {
  const expected = ANSWERS.map((answer, index) =>
    QUERIES[index]!.includes("all=")
      ? answer
      : ["#/all", ...Array.isArray(answer) ? answer : []]
  );
  for (const carrier of CARRIERS) {
    assertEquals(await answers(VALIBOT, QUERIES, carrier), expected);
  }
});

const ids = z.union([z.literal("all"), z.array(z.string().regex(/^\d+$/))]);
const split = (value: unknown) =>
  typeof value === "string" ? value.split(",") : value;
const Tags = strings.max(2).meta({ id: "QueryTags" });
const WRAPPED = ["ref", "lazy", "set", "nullable", "tuple", "caught", "whole"];

/** A schema, and queries with their outputs or invalid places. */
const CASES: Readonly<
  Record<string, readonly [StandardSchemaV1, Record<string, unknown>]>
> = {
  "a schema that converts a string": [
    z.object({
      pre: z.preprocess(split, strings).optional(),
      piped: z.string().transform((text) => text.split(",")).pipe(strings)
        .optional(),
      codec: z.codec(z.string(), strings, {
        decode: (text) => text.split(","),
        encode: (list) => list.join(),
      }).optional(),
      number: z.union([strings, z.coerce.number()]).optional(),
      any: z.any().optional(),
      date: z.coerce.date().optional(),
    }),
    {
      "?pre=a,b&piped=a,b&codec=a,b&number=7&any=a": {
        ...{ pre: ["a", "b"], piped: ["a", "b"], codec: ["a", "b"] },
        ...{ number: 7, any: "a" },
      },
      "?pre=a&pre=b&number=a&number=b&any=a&any=b": {
        ...{ pre: ["a", "b"], number: ["a", "b"], any: ["a", "b"] },
      },
      "?date=2026-01-01&number=x": {
        date: "2026-01-01T00:00:00.000Z",
        number: ["x"],
      },
      "?date=x": ["#/date"],
    },
  ],
  "a schema that converts the whole object": [
    z.preprocess(
      (query) => ({ tag: split(Object(query).tag) }),
      z.object({ tag: strings }),
    ),
    { "?tag=a,b": { tag: ["a", "b"] } },
  ],
  "references, wrappers, tuples and unions of other types": [
    z.object({
      ref: Tags,
      lazy: z.lazy(() => Tags),
      set: strings.transform((list) => new Set(list).size),
      nullable: strings.nullable(),
      tuple: z.tuple([z.string()]).rest(z.string()).optional(),
      numbers: z.union([z.array(z.enum(["1", "2"])), z.number()]),
      caught: strings.catch(["none"]),
      whole: z.intersection(strings, z.array(z.string().max(1))).readonly(),
    }).refine(({ ref }) => !ref.includes("bad"), { path: ["ref"] }),
    {
      [`?${WRAPPED.map((name) => `${name}=a`).join("&")}&numbers=1`]: {
        ...Object.fromEntries(WRAPPED.map((name) => [name, ["a"]])),
        ...{ set: 1, numbers: ["1"] },
      },
      "": {
        ...{ ref: [], lazy: [], set: 0, nullable: [], numbers: [], whole: [] },
        caught: ["none"],
      },
      "?ref=a&ref=b&ref=c&numbers=3&whole=ab": [
        ...["#/ref", "#/numbers", "#/whole/0"],
      ],
      "?ref=bad": ["#/ref"],
    },
  ],
  ...Object.fromEntries(
    [
      z.record(z.string(), strings),
      type({ "[string]": "string[]" }),
      toStandardJsonSchema(v.record(v.string(), texts)),
    ].map((record, index) => [`a record of lists (${index})`, [record, {
      "?a=1&b=2&b=3": { a: ["1"], b: ["2", "3"] },
    }]]),
  ),
  "other members that are lists": [
    z.object({ q: z.string() }).catchall(strings),
    { "?q=x&a=1": { q: "x", a: ["1"] } },
  ],
  "other members of any value": [
    z.looseObject({ tag: strings }),
    { "?tag=x&a=1": { tag: ["x"], a: "1" } },
  ],
  "a union of objects, of which every branch rejects strings": [
    z.discriminatedUnion("by", [
      z.strictObject({
        by: z.literal("tag"),
        value: strings,
        sort: z.string(),
      }),
      z.strictObject({ by: z.literal("name"), value: z.string() }),
      z.strictObject({ by: z.literal("ids"), ids: strings.min(1) }),
    ]),
    {
      "?by=tag&value=a&value=b&sort=x": {
        ...{ by: "tag", value: ["a", "b"], sort: "x" },
      },
      "?by=name&value=a": { by: "name", value: "a" },
      "?by=ids&ids=1": { by: "ids", ids: ["1"] },
      "?by=ids": ["#/ids"],
    },
  ],
  "a list of every branch": [
    z.union([z.object({ a: strings }), z.object({ a: strings, b: strings })]),
    { "?b=1": { a: [] } },
  ],
  "a constant or a list": [
    z.object({ ids, sort: z.string().max(1).optional() }),
    {
      "?ids=5": { ids: ["5"] },
      "?ids=all": { ids: "all" },
      "?ids=5&ids=6": { ids: ["5", "6"] },
      "?ids=x": ["#/ids"],
      "?ids=5&sort=ab": ["#/sort"],
      "?ids=x&sort=ab": ["#/ids", "#/sort"],
      "": ["#/ids"],
    },
  ],
  "a list in one branch": [
    z.union([
      z.object({ by: z.literal("ids"), value: strings.max(1) }),
      z.object({ by: z.literal("name"), value: z.string().max(3) }),
    ]),
    {
      "?by=ids&value=1": { by: "ids", value: ["1"] },
      "?by=name&value=1": { by: "name", value: "1" },
      "?by=other&value=1": ["#"],
    },
  ],
  "a list in one branch with a tag": [
    z.discriminatedUnion("by", [
      z.object({ by: z.literal("ids"), value: strings }),
      z.object({ by: z.literal("name"), value: z.string() }),
    ]),
    { "?by=ids&value=1": { by: "ids", value: ["1"] } },
  ],
  "an asynchronous schema": [
    z.object({ ids: ids.refine(async (ids) => await ids[0] !== "9") }),
    { "?ids=5": { ids: ["5"] }, "?ids=9": ["#/ids"] },
  ],
  "an issue of the whole object": [
    z.object({ ids }).refine(({ ids }) => ids !== "all"),
    { "?ids=all": ["#"] },
  ],
};

for (const [name, [schema, expected]] of Object.entries(CASES)) {
  Deno.test(`a value is a list if the schema accepts only a list, or rejects the string (behaviour 7.1): ${name}`, async () => {
    const queries = Object.keys(expected);
    for (const carrier of CARRIERS) {
      const found = await answers(schema, queries, carrier);
      assertEquals(found, Object.values(expected), carrier);
    }
  });
}

Deno.test("a schema without a JSON Schema gets only values that the client sent (behaviour 7.1)", async () => {
  const seen: unknown[] = [];
  const own = schemaOf((value) => {
    const query = value as Record<string, unknown>;
    if ("tag" in query) seen.push({ ...query });
    // This loop would not end if the object had every name.
    for (let count = 0; `item${count}` in query; count++);
    if (query.throw !== undefined && query.throw !== "a") throw new Error("No");
    const wrong = Object.keys(query).filter((name) =>
      name !== "tag" || typeof query.tag === "string"
    );
    const issues = wrong.map((key) => ({ message: "x", path: [{ key }] }));
    return issues.length > 0 ? { issues } : { value: query };
  });
  assertEquals(
    await answers(own, ["?tag=a", "?tag=a&tag=b", "?other=a", "?throw=a"]),
    [{ tag: ["a"] }, { tag: ["a", "b"] }, ["#/other"], ["#/throw"]],
  );
  assertEquals(seen, [
    { tag: "a" },
    { tag: ["a"] },
    { tag: ["a", "b"] },
  ]);
  const asynchronous = schemaOf(async (value) =>
    await own["~standard"].validate(value)
  );
  assertEquals(
    await answers(asynchronous, ["?tag=a", "?throw=a"]),
    [{ tag: ["a"] }, ["#/throw"]],
  );
});

Deno.test("JSON says itself whether a value is a list", async () => {
  const body = z.object({ tag: strings, ids });
  const { fetch } = TestApplication.of({
    "route.ts": { schema: { post: { body } }, POST: () => new Response() },
  }).app;
  const sent = Response.json({ tag: "a", ids: "5" });
  const { headers } = sent;
  const init = { method: "POST", headers, body: await sent.text() };
  const { errors } = await (await fetch(new Request("http://h/api", init)))
    .json();
  const pointers = errors.map(({ pointer }: { pointer: string }) => pointer);
  assertEquals(pointers, ["#/tag", "#/ids"]);
});

Deno.test("one file is a list of files, if the schema accepts only lists (behaviour 7.1)", async () => {
  const files = z.array(z.file());
  const schema = {
    post: {
      body: z.object({
        files,
        own: z.array(z.instanceof(File)).optional(),
        one: z.union([z.file(), files]).optional(),
        few: z.union([z.literal(""), files]).optional(),
      }),
    },
  };
  const namesIn = (value: unknown): unknown =>
    JSON.parse(
      JSON.stringify(value, (_key, each) =>
        each instanceof File ? each.name : each),
    );
  const manifest = {
    "files/route.ts": {
      schema,
      POST: ({ validated }: FrameworkRequest<typeof schema.post>) =>
        Response.json(namesIn(validated.body)),
    },
  };
  const { fetch } = new Framework({ manifest });
  const api = createClient<typeof manifest>({ fetch });
  const file = new File(["x"], "a.txt");
  for (
    const body of [
      { files: [file], own: [file], one: file, few: [file] },
      { files: [file, file], one: [file, file] },
      { files: [], one: file },
    ]
  ) {
    const { data } = await api.POST("/files", { body });
    assertEquals(data as unknown, namesIn(body));
  }
});
