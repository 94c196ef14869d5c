/** Schemas of zod, Valibot and ArkType that accept equal values. */
import { assertEquals } from "@std/assert";
import { toStandardJsonSchema } from "npm:@valibot/to-json-schema@^1.8.0";
import { scope, type } from "npm:arktype@^2.2.9";
import * as v from "valibot";
import { z } from "zod";
import { changedPairs } from "./support.ts";

const ZodNode = z.object({
  v: z.string(),
  get n(): z.ZodOptional<z.ZodType> {
    return ZodNode.optional();
  },
});
const ValibotNode: v.GenericSchema = v.object({
  v: v.string(),
  n: v.optional(v.lazy(() => ValibotNode)),
});

/** Schemas of zod, Valibot and ArkType that accept equal values. */
const LIBRARIES: Readonly<
  Record<string, readonly [z.ZodType, v.GenericSchema, object]>
> = {
  string: [z.string(), v.string(), type("string")],
  number: [z.number(), v.number(), type("number")],
  boolean: [z.boolean(), v.boolean(), type("boolean")],
  null: [z.null(), v.null(), type("null")],
  lengths: [
    z.string().min(2).max(9),
    v.pipe(v.string(), v.minLength(2), v.maxLength(9)),
    type("2 <= string <= 9"),
  ],
  pattern: [
    z.string().regex(/^a+$/),
    v.pipe(v.string(), v.regex(/^a+$/)),
    type("/^a+$/"),
  ],
  range: [
    z.number().min(1).lt(9),
    v.pipe(v.number(), v.minValue(1), v.ltValue(9)),
    type("1 <= number < 9"),
  ],
  integer: [z.int(), v.pipe(v.number(), v.integer()), type("number.integer")],
  multiple: [
    z.number().multipleOf(5),
    v.pipe(v.number(), v.multipleOf(5)),
    type("number % 5"),
  ],
  literal: [z.literal("a"), v.literal("a"), type("'a'")],
  enum: [z.enum(["a", "b"]), v.picklist(["b", "a"]), type("'a' | 'b'")],
  array: [z.array(z.string()), v.array(v.string()), type("string[]")],
  items: [
    z.array(z.string()).min(1).max(3),
    v.pipe(v.array(v.string()), v.minLength(1), v.maxLength(3)),
    type("1 <= string[] <= 3"),
  ],
  tuple: [
    z.tuple([z.string(), z.number()]),
    v.strictTuple([v.string(), v.number()]),
    type(["string", "number"]),
  ],
  optional: [
    z.object({ a: z.string().optional(), b: z.number() }),
    v.object({ a: v.optional(v.string()), b: v.number() }),
    type({ "a?": "string", b: "number" }),
  ],
  nullable: [
    z.string().nullable(),
    v.nullable(v.string()),
    type("string | null"),
  ],
  record: [
    z.record(z.string(), z.number()),
    v.record(v.string(), v.number()),
    type({ "[string]": "number" }),
  ],
  union: [
    z.union([z.string(), z.object({ a: z.number() })]),
    v.union([v.string(), v.object({ a: v.number() })]),
    type(["string", "|", { a: "number" }]),
  ],
  tagged: [
    z.discriminatedUnion("k", [
      z.object({ k: z.literal("a") }),
      z.object({ k: z.literal("b"), n: z.int() }),
    ]),
    v.variant("k", [
      v.object({ k: v.literal("a") }),
      v.object({ k: v.literal("b"), n: v.pipe(v.number(), v.integer()) }),
    ]),
    type({ k: "'a'" }).or({ k: "'b'", n: "number.integer" }),
  ],
  nested: [
    z.object({ a: z.object({ b: z.array(z.object({ c: z.boolean() })) }) }),
    v.object({ a: v.object({ b: v.array(v.object({ c: v.boolean() })) }) }),
    type({ a: { b: type({ c: "boolean" }).array() } }),
  ],
  recursive: [
    ZodNode,
    ValibotNode,
    scope({ N: { v: "string", "n?": "N" } }).export().N,
  ],
};

Deno.test("equal schemas of two libraries have no change", async () => {
  const pairs = Object.entries(LIBRARIES).flatMap(
    ([name, [zod, second, arktype]]) => {
      const valibot = toStandardJsonSchema(second);
      return [
        [`${name} in zod and Valibot`, zod, valibot] as const,
        [`${name} in Valibot and ArkType`, valibot, arktype] as const,
        [`${name} in ArkType and zod`, arktype, zod] as const,
      ];
    },
  );
  assertEquals(await changedPairs(pairs), []);
});
