import { assertEquals } from "@std/assert";
import { toStandardJsonSchema } from "npm:@valibot/to-json-schema@^1.8.0";
import { type } from "npm:arktype@^2.2.9";
import * as v from "valibot";
import { z } from "zod";
import { TestApplication } from "../../support/application.ts";
import { schemaOf } from "../../support/schema_of.ts";
import type { StandardSchemaV1 } from "../../../mod.ts";

/** Returns the outputs of a schema for queries, or the invalid places. */
async function answers(
  query: StandardSchemaV1,
  queries: readonly string[],
): Promise<unknown[]> {
  const application = TestApplication.of({
    "books/route.ts": {
      schema: { get: { query } },
      GET: ({ validated }) => Response.json(validated.query ?? {}),
    },
  });
  return await Promise.all(queries.map(async (query) => {
    const response = await application.fetch(`/api/books${query}`);
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
  "valibot without a JSON Schema": VALIBOT,
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
  Deno.test(`a list in a query is a list for one value or none: ${library}`, async () => {
    assertEquals(await answers(schema, QUERIES), ANSWERS);
  });
}

Deno.test("a schema that converts a string gets the string, and a list only of repeated names", async () => {
  const split = (value: unknown) =>
    typeof value === "string" ? value.split(",") : value;
  const schema = z.object({
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
  });
  assertEquals(
    await answers(schema, [
      "?pre=a,b&piped=a,b&codec=a,b&number=7&any=a",
      "?pre=a&pre=b&number=a&number=b&any=a&any=b",
      "?date=2026-01-01&number=x",
    ]),
    [
      {
        pre: ["a", "b"],
        piped: ["a", "b"],
        codec: ["a", "b"],
        number: 7,
        any: "a",
      },
      { pre: ["a", "b"], number: ["a", "b"], any: ["a", "b"] },
      ["#/number"],
    ],
  );
  const whole = z.preprocess(
    (query) => ({ tag: split(Object(query).tag) }),
    z.object({ tag: strings }),
  );
  assertEquals(await answers(whole, ["?tag=a,b"]), [{ tag: ["a", "b"] }]);
});

Deno.test("a list is found behind references, wrappers, tuples and unions of other types", async () => {
  const Tags = strings.max(2).meta({ id: "QueryTags" });
  const schema = z.object({
    ref: Tags,
    lazy: z.lazy(() => Tags),
    set: strings.transform((list) => new Set(list).size),
    nullable: strings.nullable(),
    tuple: z.tuple([z.string()]).rest(z.string()).optional(),
    numbers: z.union([z.array(z.enum(["1", "2"])), z.number()]),
    caught: strings.catch(["none"]),
    whole: z.intersection(strings, z.array(z.string().max(1))).readonly(),
  }).refine(({ ref }) => !ref.includes("bad"), { path: ["ref"] });
  const one = ["ref", "lazy", "set", "nullable", "tuple", "caught", "whole"];
  assertEquals(
    await answers(schema, [
      `?${one.map((name) => `${name}=a`).join("&")}&numbers=1`,
      "",
      "?ref=a&ref=b&ref=c&numbers=3&whole=ab",
      "?ref=bad",
    ]),
    [
      {
        ...Object.fromEntries(one.map((name) => [name, ["a"]])),
        set: 1,
        numbers: ["1"],
      },
      {
        ref: [],
        lazy: [],
        set: 0,
        nullable: [],
        numbers: [],
        caught: ["none"],
        whole: [],
      },
      ["#/ref", "#/numbers", "#/whole/0"],
      ["#/ref"],
    ],
  );
});

Deno.test("a record of lists, and the other members of an object, get lists", async () => {
  const record = z.record(z.string(), strings);
  const queries = ["?a=1&b=2&b=3&__proto__=4", ""];
  const lists = { a: ["1"], b: ["2", "3"] };
  for (
    const schema of [
      record,
      type({ "[string]": "string[]" }),
      toStandardJsonSchema(v.record(v.string(), texts)),
    ]
  ) {
    const [found, none] = await answers(schema, queries);
    assertEquals([{ ...Object(found) }.a, Object(found).b, none], [
      ...Object.values(lists),
      {},
    ]);
  }
  const open = z.object({ q: z.string() }).catchall(strings);
  assertEquals(await answers(open, ["?q=x&a=1"]), [{ q: "x", a: ["1"] }]);
  const loose = z.looseObject({ tag: strings });
  assertEquals(await answers(loose, ["?tag=x&a=1"]), [{ tag: ["x"], a: "1" }]);
});

Deno.test("in a union of objects, a member is a list if every branch rejects strings", async () => {
  const schema = z.discriminatedUnion("by", [
    z.strictObject({ by: z.literal("tag"), value: strings, sort: z.string() }),
    z.strictObject({ by: z.literal("name"), value: z.string() }),
    z.strictObject({ by: z.literal("ids"), ids: strings.min(1) }),
  ]);
  assertEquals(
    await answers(schema, [
      "?by=tag&value=a&value=b&sort=x",
      "?by=name&value=a",
      "?by=ids&ids=1",
      "?by=ids",
    ]),
    [
      { by: "tag", value: ["a", "b"], sort: "x" },
      { by: "name", value: "a" },
      { by: "ids", ids: ["1"] },
      ["#/ids"],
    ],
  );
  const both = z.union([
    z.object({ a: strings }),
    z.object({ a: strings, b: strings }),
  ]);
  assertEquals(await answers(both, ["?b=1"]), [{ a: [] }]);
});

Deno.test("a few values show the lists of a schema without a JSON Schema", async () => {
  const own = schemaOf((value) => {
    const { tag } = value as { tag?: unknown };
    return Array.isArray(tag)
      ? { value: { tag } }
      : { issues: [{ message: "Expected a list", path: [{ key: "tag" }] }] };
  });
  assertEquals(await answers(own, ["?tag=a", ""]), [{ tag: ["a"] }, {
    tag: [],
  }]);
});

Deno.test("a schema that throws or waits for these values gets strings", async () => {
  let asked = 0;
  const throwing = schemaOf((value) => {
    const { tag } = value as { tag: unknown };
    if (asked++ === 0) throw new Error("Not now");
    return { value: { tag } };
  });
  const waiting = schemaOf(async (value) => {
    await 1;
    const { tag } = value as { tag: unknown };
    if (tag === undefined) throw new Error("Not now");
    return { value: { tag } };
  });
  for (const schema of [throwing, waiting]) {
    assertEquals(await answers(schema, ["?tag=a"]), [{ tag: "a" }]);
  }
});
