/** Values that a JSON Schema describes. */
import { assert, assertEquals } from "@std/assert";
import { z } from "zod";
import type { JsonSchema } from "../../../src/openapi/mod.ts";
import { Draw } from "../../../src/shared/values/draw.ts";
import { createExample } from "../../../src/shared/values/example.ts";
import { sampleOf, valuesOf } from "../../../src/shared/values/values.ts";
import { faultsOf } from "./random.ts";

function samples(schema: JsonSchema): unknown[] {
  const values = valuesOf(schema);
  return Array.from(
    { length: 100 },
    (_, seed) => values.plain(new Draw(seed)),
  );
}

/** An ordinary value of a schema with each of its edges, or beyond each of them. */
function edits(schema: JsonSchema, kind: "edges" | "beyond"): unknown[] {
  const values = valuesOf(schema);
  const value = values.plain(new Draw(3));
  return values.edits(kind).map((edit) => edit(value));
}

/** Ordinary values of a schema, and its edges. */
function reached(schema: JsonSchema): unknown[] {
  return [...samples(schema), ...edits(schema, "edges")];
}

/** Checks of formats of which there are many values, as in an application. */
const VARIED: Readonly<Record<string, z.ZodType>> = {
  "date-time": z.iso.datetime(),
  date: z.iso.date(),
  time: z.iso.time(),
  email: z.email(),
  hostname: z.hostname(),
  ipv4: z.ipv4(),
  ipv6: z.ipv6(),
  uri: z.url(),
  url: z.url(),
  uuid: z.uuid({ version: "v4" }),
};

/** Checks of other formats: those that zod adds, and those that Ajv knows. */
const OTHERS: Readonly<Record<string, z.ZodType>> = {
  cidrv4: z.cidrv4(),
  cidrv6: z.cidrv6(),
  guid: z.guid(),
  base64: z.base64(),
  base64url: z.base64url(),
  e164: z.e164(),
  emoji: z.emoji(),
  jwt: z.jwt(),
  ...Object.fromEntries(
    ["duration", "uri-reference", "uri-template", "json-pointer"]
      .concat("relative-json-pointer", "regex", "byte")
      .map((format) => [format, checkedByAjv(format)]),
  ),
  "idn-email": checkedByAjv("email"),
  "idn-hostname": checkedByAjv("hostname"),
  iri: checkedByAjv("uri"),
  "iri-reference": checkedByAjv("uri-reference"),
};

function checkedByAjv(format: string): z.ZodType {
  return z.string().refine((text) => faultsOf({ format }, text) === "");
}

for (const [format, schema] of Object.entries({ ...VARIED, ...OTHERS })) {
  Deno.test(`a text has the format "${format}"`, () => {
    const example = createExample({ type: "string", format });
    const texts = samples({ type: "string", format });
    if (format in VARIED) {
      assertEquals(faultsOf({ format }, example), "");
      assert(new Set(texts).size > 10, "too few different ones");
    } else {
      const encoded = { type: "string", contentEncoding: format };
      assertEquals(createExample(encoded), example);
      texts.push(example);
    }
    for (const text of texts) {
      assert(schema.safeParse(text).success, JSON.stringify(text));
    }
  });
}

Deno.test("a pattern without anchors matches anywhere in a string", () => {
  for (
    const [pattern, minLength, maxLength = 1_000] of [
      ["foo", 5],
      ["^foo", 5, 10],
      ["\\.pdf$", 8],
      ["foo|bar", 0],
    ] as const
  ) {
    const texts = samples({ type: "string", pattern, minLength, maxLength });
    for (const text of texts as string[]) {
      assert(new RegExp(pattern).test(text), text);
      assert(text.length >= minLength && text.length <= maxLength, text);
    }
    assert(new Set(texts).size > 2, texts.join());
  }
});

/** The kinds of the values: `"array"`, `"null"`, `"number"` and so on. */
function kindsOf(schema: JsonSchema): string[] {
  const kinds = reached(schema).map((value) =>
    value === null ? "null" : Array.isArray(value) ? "array" : typeof value
  );
  return [...new Set(kinds)].sort();
}

Deno.test("the type of a schema without a type is that of its keywords", () => {
  for (
    const [schema, kind] of [
      [{ format: "uri" }, "string"],
      [{ pattern: "^a$" }, "string"],
      [{ minLength: 1 }, "string"],
      [{ maxLength: 1 }, "string"],
      [{ minimum: 1 }, "number"],
      [{ maximum: 1 }, "number"],
      [{ multipleOf: 2 }, "number"],
      [{ items: {} }, "array"],
      [{ prefixItems: [{}] }, "array"],
      [{ properties: { a: {} } }, "object"],
      [{ required: ["a"] }, "object"],
      [{ additionalProperties: {} }, "object"],
      [{ type: "null" }, "null"],
      [{ type: "boolean" }, "boolean"],
    ] as const
  ) assertEquals(kindsOf(schema), [kind], JSON.stringify(schema));
  assertEquals(kindsOf({ type: ["string", "null"] }), ["null", "string"]);
  assert(kindsOf({}).length > 3);
});

Deno.test("an unsatisfiable schema has no values", () => {
  const none = { enum: [] };
  for (
    const schema of [
      none,
      { anyOf: [none, none] },
      { type: "array", items: none, minItems: 1 },
      { type: "array", prefixItems: [none] },
      { type: "array", items: {}, minItems: 1_001 },
      { type: "object", properties: { a: none }, required: ["a"] },
      { type: "integer", minimum: 2, maximum: 1 },
      { type: "number", minimum: 2, maximum: 1 },
    ]
  ) {
    const made = sampleOf(valuesOf(schema));
    assertEquals(made, undefined, JSON.stringify(schema));
  }
  const optional = { type: "object", properties: { a: none, b: { const: 1 } } };
  assertEquals(distinct(optional), ['{"b":1}', "{}"]);
  assertEquals(distinct({ anyOf: [none, { const: 1 }] }), ["1"]);
  assertEquals(distinct({ type: "array", items: none }), ["[]"]);
  assertEquals(distinct({ type: "number", minimum: 2, maximum: 2 }), ["2"]);
});

function distinct(schema: JsonSchema): string[] {
  return [...new Set(reached(schema).map((value) => JSON.stringify(value)))]
    .sort();
}

Deno.test("values are those that the schema lists, and known values of a name", () => {
  assertEquals(distinct({ const: { a: 1 } }), ['{"a":1}']);
  assertEquals(distinct({ enum: [1, "b", null] }), ['"b"', "1", "null"]);
  const texts = reached({
    type: "string",
    maxLength: 1,
    default: "fallback",
    examples: ["example"],
  });
  assert(texts.includes("fallback") && texts.includes("example"));
  assert(texts.some((text) => (text as string).length < 2));
  const known = new Map([["bookId", ["b7"]]]);
  const values = valuesOf({
    type: "object",
    properties: { bookId: { type: "string" }, other: { type: "string" } },
    required: ["bookId", "other"],
  }, { known });
  const ordinary = Array.from(
    { length: 50 },
    (_, seed) => values.plain(new Draw(seed)),
  );
  const edges = values.edits("edges").map((edit) => edit(ordinary[0]));
  const books = [...ordinary, ...edges] as Record<string, string>[];
  assert(books.filter(({ bookId }) => bookId === "b7").length > 20);
  assert(books.some(({ bookId }) => bookId !== "b7"));
  assert(books.every(({ other }) => other !== "b7"));
});

Deno.test("a list has an allowed length, and the same item twice if it may", () => {
  const item = { enum: [1, 2, 3, 4, 5, 6] };
  const string = { type: "string" };
  for (
    const [schema, lengths] of [
      [{}, [0, 1, 2]],
      [{ maxItems: 1 }, [0, 1]],
      [{ minItems: 2, maxItems: 3 }, [2, 3]],
      [{ minItems: 3 }, [3, 6]],
      [{ maxItems: 40 }, [0, 1, 2, 40]],
      [{ prefixItems: [item], maxItems: 2 }, [1, 2]],
      // A tuple has only the items that it lists, unless its schema allows more.
      [{ prefixItems: [string], items: undefined }, [1]],
      [{ prefixItems: [string, string], items: undefined }, [2]],
      [{ prefixItems: [string], items: false }, [1]],
      [{ prefixItems: [string], items: string }, [1, 2, 4]],
    ] as const
  ) {
    const lists = reached({ type: "array", items: item, ...schema });
    const found = new Set((lists as unknown[][]).map(({ length }) => length));
    assertEquals([...found].sort(), [...lengths], JSON.stringify(schema));
  }
  const isRepeated = (schema: JsonSchema, kind: "edges" | "beyond") =>
    edits({ type: "array", items: { type: "string" }, ...schema }, kind)
      .some((list) => Array.isArray(list) && list.length > new Set(list).size);
  assertEquals(isRepeated({}, "edges"), true);
  assertEquals(isRepeated({}, "beyond"), false);
  assertEquals(isRepeated({ uniqueItems: true }, "edges"), false);
  assertEquals(isRepeated({ uniqueItems: true }, "beyond"), true);
});

Deno.test("an object has its required members, and some optional and additional members", () => {
  const schema = {
    type: "object",
    properties: { a: { const: 1 }, b: { const: 2 } },
    required: ["a", "c"],
    additionalProperties: { const: 3 },
    propertyNames: { enum: ["x", "y"] },
  };
  const all = reached(schema) as Record<string, number>[];
  assert(all.every(({ a, c }) => a === 1 && c === 3));
  assert(all.some((object) => Object.keys(object).length === 2));
  const objects = samples(schema) as Record<string, number>[];
  assert(objects.every(({ b }) => b === 2) && all.some(({ b }) => b !== 2));
  const open = objects.flatMap((object) => Object.keys(object))
    .filter((name) => !["a", "b", "c"].includes(name));
  assertEquals(
    ["x", "y"].includes(new Set(open).values().toArray().join()),
    true,
  );
  const { additionalProperties: _, ...closed } = schema;
  const names = samples(closed).flatMap((object) => Object.keys(object!));
  assertEquals([...new Set(names)].sort(), ["a", "b", "c"]);
});

Deno.test("a text has an allowed length, fits its pattern, and reaches both limits", () => {
  const lengths =
    (reached({ type: "string", minLength: 2, maxLength: 40 }) as string[])
      .map((text) => [...text].length);
  assertEquals([Math.min(...lengths), Math.max(...lengths)], [2, 40]);
  // Texts that programs often mishandle.
  const texts = edits({ type: "string" }, "edges");
  for (const tricky of ["__proto__", "%zz", "-1", "İ", "e\u0301"]) {
    assert(texts.includes(tricky), tricky);
  }
  assert(!reached({ type: "string", maxLength: 4 }).includes("__proto__"));
  const codes = samples({ type: "string", pattern: "^[A-Z]{2}-\\d+$" });
  assert(codes.every((text) => /^[A-Z]{2}-\d+$/.test(text as string)));
  assert(new Set(codes).size > 10);
  // Even fast-check does not read a look behind; the simple reader replaces it.
  const behind = samples({ type: "string", pattern: "^a(?<=a)b{2}$" });
  assertEquals([...new Set(behind)], ["abb"]);
  assert(samples({ format: "binary" }).every((each) => each instanceof File));
});

Deno.test("a number is within its limits, and reaches them", () => {
  for (
    const [schema, least, most] of [
      [{ minimum: 1, maximum: 3 }, 1, 3],
      [{ minimum: -3, maximum: -2 }, -3, -2],
      [{ exclusiveMinimum: 7, exclusiveMaximum: 10 }, 8, 9],
      [{ minimum: 1, maximum: 9, multipleOf: 4 }, 4, 8],
      [{ type: "number", minimum: 0.5, maximum: 0.75 }, 0.5, 0.75],
    ] as const
  ) {
    const numbers = reached({ type: "integer", ...schema }) as number[];
    assertEquals([Math.min(...numbers), Math.max(...numbers)], [least, most]);
  }
  for (
    const [schema, expected] of [
      [{ type: "number", multipleOf: 0.1, minimum: 0, maximum: 1 }, TENTHS],
      [{ exclusiveMinimum: 0, exclusiveMaximum: 3 }, ["1", "2"]],
      [{ exclusiveMinimum: 0.5, exclusiveMaximum: 3.5 }, ["1", "2", "3"]],
      [{ multipleOf: 1.5, minimum: 0, maximum: 6 }, ["0", "3", "6"]],
    ] as const
  ) assertEquals(distinct({ type: "integer", ...schema }), [...expected]);
  const edges = [0.001, -0.001, 0.1, 0, -1, 2 ** 31];
  assertEquals(edits({ type: "number" }, "edges"), edges);
  const [above, below, any] = [{ minimum: 100 }, { maximum: -100 }, {}]
    .map((schema) => reached({ type: "integer", ...schema }) as number[]);
  assertEquals([Math.min(...above!), Math.max(...below!)], [100, -100]);
  assert(above!.some((value) => value > 1_000_000));
  assert(any!.some((value) => value < 0) && any!.includes(0));
});

const TENTHS = [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1].map(String);
