/** Members of a response that no schema names (behaviour 7.7). */
import { assertEquals } from "@std/assert";
import { toStandardJsonSchema as form } from "npm:@valibot/to-json-schema@^1.8.0";
import { scope, type } from "npm:arktype@^2.2.9";
import * as v from "valibot";
import { z } from "zod";
import { Problem } from "@bough/framework/openapi";
import { checkJson } from "../../../src/core/schema/check_response.ts";
import type { StandardSchemaV1 } from "../../../mod.ts";

/** The places of undeclared members, such as `items/0/hash`. */
async function foundIn(
  schema: StandardSchemaV1,
  value: unknown,
): Promise<string[]> {
  const before = JSON.stringify(value);
  const issues = await checkJson(schema, value) ?? [];
  assertEquals(JSON.stringify(value), before);
  return issues.map(({ message, path = [] }) => {
    assertEquals(
      message,
      "is undeclared; declare it, or do not send it",
      message,
    );
    return path.join("/");
  });
}

interface Case {
  readonly schemas: Readonly<Record<string, StandardSchemaV1>>;
  readonly value: unknown;
  readonly found: readonly string[];
}

const id = z.number();
const Tree = z.object({
  id,
  get children() {
    return z.array(Tree);
  },
});
const { node: ArkTree } = scope({
  node: { id: "number", children: "node[]" },
}).export();
interface Node {
  id: number;
  children: Node[];
}
const ValibotTree: v.GenericSchema<Node> = v.object({
  id: v.number(),
  children: v.array(v.lazy(() => ValibotTree)),
});
const own = (
  validate: StandardSchemaV1["~standard"]["validate"],
  jsonSchema?: object,
): StandardSchemaV1 => ({
  "~standard": {
    version: 1,
    vendor: "own",
    validate,
    ...(jsonSchema && { jsonSchema: { input: () => jsonSchema } }),
  },
});

const CASES: Readonly<Record<string, Case>> = {
  "a member that an object does not name": {
    schemas: {
      zod: z.object({ id }),
      arktype: type({ id: "number" }),
      deleting: type({ id: "number", "+": "delete" }),
      valibot: form(v.object({ id: v.number() })),
      transformed: z.object({ id }).transform((all) => ({ n: all.id })),
      piped: form(v.pipe(v.object({ id: v.number() }), v.check(() => true))),
      nullable: z.object({ id }).nullable(),
      named: z.object({ id }).meta({ id: "Named" }),
      checked: z.object({ id }).refine(async () => await true),
      both: z.object({ id }).and(z.object({ id })),
      own: own((value) => ({ value }), { properties: { id: {} } }),
    },
    value: { id: 1, hash: "x" },
    found: ["hash"],
  },
  "members at any depth, those of a list once": {
    schemas: {
      zod: z.object({ items: z.array(z.object({ id })), by: z.object({}) }),
      arktype: type({
        items: type({ id: "number" }).array(),
        by: { "id?": "number" },
      }),
      valibot: form(v.object({
        items: v.array(v.object({ id: v.number() })),
        by: v.object({}),
      })),
    },
    value: {
      items: [{ id: 1 }, { id: 2, hash: "x" }, { id: 3, hash: "y" }],
      by: { name: "a" },
    },
    found: ["items/1/hash", "by/name"],
  },
  "members of a list, a tuple or a record": {
    schemas: {
      zod: z.tuple([
        z.array(z.object({ id })),
        z.record(z.string(), z.object({ id })),
      ], z.object({})),
      valibot: form(v.tupleWithRest([
        v.array(v.object({ id: v.number() })),
        v.record(v.string(), v.object({ id: v.number() })),
      ], v.object({}))),
    },
    value: [[{ id: 1, a: 1 }], { x: { id: 1, b: 1 } }, { c: 1 }],
    found: ["0/0/a", "1/x/b", "2/c"],
  },
  "members of a recursive schema": {
    schemas: { zod: Tree, arktype: ArkTree, valibot: form(ValibotTree) },
    value: { id: 1, children: [{ id: 2, children: [], hash: "x" }] },
    found: ["children/0/hash"],
  },
  "a member of another alternative of a union": {
    schemas: {
      zod: z.discriminatedUnion("kind", [
        z.object({ kind: z.literal("open"), id }),
        z.object({ kind: z.literal("staff"), id, hash: z.string() }),
      ]),
      arktype: type({ kind: "'open'", id: "number" })
        .or({ kind: "'staff'", id: "number", hash: "string" }),
      valibot: form(v.variant("kind", [
        v.object({ kind: v.literal("open"), id: v.number() }),
        v.object({
          kind: v.literal("staff"),
          id: v.number(),
          hash: v.string(),
        }),
      ])),
    },
    value: { kind: "open", id: 1, hash: "x" },
    found: ["hash"],
  },
  "a member that must be absent, and is": {
    schemas: { zod: z.object({ a: z.never().optional() }) },
    value: {},
    found: [],
  },
  "a member that has a date next to it": {
    schemas: {
      zod: z.object({ at: z.date() }),
      arktype: type({ at: "Date" }),
      valibot: form(v.object({ at: v.date() })),
    },
    value: { at: "2026-01-31T12:00:00.000Z", hash: "x" },
    found: ["hash"],
  },

  // No false alarms.
  "a schema without a JSON Schema": {
    schemas: {
      valibot: v.object({ id: v.number() }),
      own: own((value) => ({ value })),
    },
    value: { id: 1, hash: "x" },
    found: [],
  },
  "a loose object": {
    schemas: {
      zod: z.looseObject({ id }),
      arktype: type({ id: "number", "[string]": "unknown" }),
      valibot: form(v.looseObject({ id: v.number() })),
      formless: v.looseObject({ id: v.number() }),
      transformed: z.looseObject({ id }).transform(({ id }) => ({ id })),
      own: own((value) => ({ value }), {
        properties: { id: {} },
        additionalProperties: true,
      }),
      formlessOwn: own((value) => ({ value })),
    },
    value: { id: 1, more: { deep: [{ er: 1 }] } },
    found: [],
  },
  "described other members": {
    schemas: {
      zod: z.object({ id }).catchall(z.object({ a: id })),
      valibot: form(
        v.objectWithRest({ id: v.number() }, v.object({ a: v.number() })),
      ),
      arktype: type({ id: "number", "[/^x/]": { a: "number" } }),
      record: z.record(z.string(), z.union([id, z.object({ a: id })])),
      looseRecord: z.looseRecord(z.string().regex(/./), z.any()),
      any: z.any(),
      formless: v.record(v.string(), v.any()),
      custom: z.custom(),
      converted: own((value) => ({ value }), { type: "string" }),
      convertedList: own((value) => ({ value }), {
        additionalProperties: { type: ["array", "number"] },
      }),
      otherKind: own((value) => ({ value }), {
        properties: { id: { const: 2 } },
      }),
      map: z.any().transform((all) => new Map(Object.entries(all))),
    },
    value: { id: 1, x: { a: 1 } },
    found: [],
  },
  "a union that names it in one of its alternatives": {
    schemas: {
      zod: z.union([z.object({ id }), z.object({ id, more: id })]),
      arktype: type({ id: "number", "more?": "string" })
        .or({ id: "number", more: "number" }),
      open: z.union([z.object({ id }), z.looseObject({ id })]),
      valibot: form(v.union([
        v.object({ id: v.number() }),
        v.object({ id: v.number(), more: v.number() }),
      ])),
      formless: v.union([
        v.object({ id: v.number(), more: v.number() }),
        v.object({ id: v.number() }),
      ]),
      intersection: z.object({ id }).and(z.object({ more: id })),
      loose: z.object({ id }).and(z.looseObject({})),
    },
    value: { id: 1, more: 2 },
    found: [],
  },
  "a member that is converted or dropped": {
    schemas: {
      zod: z.object({ id, more: id }).transform(({ id }) => ({ id })),
      arktype: type({ id: "number", more: "number" })
        .pipe(({ id }) => ({ id })),
      valibot: form(v.pipe(
        v.object({ id: v.number(), more: v.number() }),
        v.transform(({ id }) => ({ id })),
      )),
      formless: v.pipe(
        v.object({ id: v.number(), more: v.number() }),
        v.transform(({ id }) => ({ id })),
      ),
      optional: v.pipe(
        v.object({ id: v.number(), more: v.optional(v.number()) }),
        v.transform(({ id }) => ({ id })),
      ),
      preprocessed: z.preprocess(
        (all) => ({ ...all as object }),
        z.object({ id, more: id }),
      ),
      codec: z.codec(z.object({ id, more: id }), z.object({ id }), {
        decode: ({ id }) => ({ id }),
        encode: ({ id }) => ({ id, more: 1 }),
      }),
      map: v.pipe(
        v.object({ id: v.number(), more: v.number() }),
        v.transform((all) => new Map(Object.entries(all))),
      ),
      text: v.pipe(v.looseObject({}), v.transform(() => "")),
      fussy: own((value) => {
        const { id, more } = value as Record<string, number>;
        return { value: { id, sum: id! + more! } };
      }),
    },
    value: { id: 1, more: 2 },
    found: [],
  },
  "a member with a default, or optional": {
    schemas: {
      zod: z.object({ id: id.default(1), more: id.optional() }),
      arktype: type({ id: "number = 1", "more?": "number" }),
      formless: v.object({
        id: v.optional(v.number(), 1),
        more: v.optional(v.number()),
      }),
    },
    value: { more: 2 },
    found: [],
  },
  "the extension members of a problem": {
    schemas: { Problem },
    value: { type: "a", title: "b", status: 400, balance: { of: 30 } },
    found: [],
  },
  "names of the prototype": {
    schemas: {
      zod: z.object({ id }),
      valibot: form(v.object({ id: v.number() })),
    },
    value: JSON.parse('{ "id": 1, "__proto__": { "a": 1 }, "toString": 1 }'),
    found: ["__proto__", "toString"],
  },
  "strings and numbers": {
    schemas: { any: z.union([z.string(), z.number()]) },
    value: "a text",
    found: [],
  },
};

for (const [name, { schemas, value, found }] of Object.entries(CASES)) {
  Deno.test(`the check of undeclared members: ${name}`, async (t) => {
    for (const [library, schema] of Object.entries(schemas)) {
      await t.step(library, async () => {
        const copy = JSON.parse(JSON.stringify(value));
        assertEquals(await foundIn(schema, copy), found);
      });
    }
  });
}

Deno.test("the check of undeclared members accepts deep nesting", async () => {
  const nested = (depth: number, [open, close]: [string, string]) =>
    JSON.parse(open.repeat(depth) + "1" + close.repeat(depth));
  const schemas = [
    z.any(),
    z.object({ a: z.any() }),
    z.union([z.object({ b: z.object({}) }), z.any()]),
    v.object({ a: v.any() }),
  ];
  for (const schema of schemas) {
    const deep = { a: nested(20_000, ['{"a":', "}"]) };
    assertEquals(await checkJson(schema, deep), undefined);
    const lists = { a: nested(20_000, ["[", "]"]) };
    assertEquals(await checkJson(schema, lists), undefined);
  }
  // The check follows a schema as deep as zod does.
  const depth = 500;
  const tree = JSON.parse(
    '{"id":1,"children":['.repeat(depth) + "]}".repeat(depth),
  );
  assertEquals(await checkJson(Tree, tree), undefined);
});

Deno.test("the check reports at most a hundred undeclared members", async () => {
  const members = Array.from({ length: 500 }, (_, index) => [`m${index}`, 1]);
  const value = Object.fromEntries(members);
  assertEquals((await foundIn(z.object({}), value)).length, 100);
});
