/** Forty schemas of bodies, by name, for `schemas_test.ts`. */
import { toStandardJsonSchema as form } from "npm:@valibot/to-json-schema@^1.8.0";
import { scope, type } from "npm:arktype@^2.2.9";
import type { StandardSchemaV1 } from "@bough/framework";
import * as v from "valibot";
import { z } from "zod";

const Tree = z.object({
  name: z.string(),
  get children() {
    return z.array(Tree);
  },
});
const List = z.object({
  value: z.number(),
  get next() {
    return List.nullable();
  },
});
const Named = z.object({ id: z.int32() }).meta({ id: "Named" });
const Even: z.ZodType = z.lazy(() => z.union([z.literal(0), z.array(Odd)]));
const Odd: z.ZodType = z.lazy(() => z.union([z.literal(1), z.array(Even)]));

interface Folder {
  name: string;
  folders: Folder[];
}
const Folder: v.GenericSchema<Folder> = v.object({
  name: v.string(),
  folders: v.array(v.lazy(() => Folder)),
});
const shapes = scope({
  circle: { kind: "'circle'", radius: "number > 0" },
  group: { kind: "'group'", shapes: "shape[]" },
  shape: "circle | group",
}).export();

export const SCHEMAS: Readonly<Record<string, StandardSchemaV1>> = {
  // zod
  string: z.object({ text: z.string().min(1).max(5) }),
  pattern: z.object({ code: z.string().regex(/^[A-Z]{2}\d+$/) }),
  integer: z.object({ count: z.int32().min(0).max(10) }),
  number: z.object({ price: z.number().positive().multipleOf(0.5) }),
  boolean: z.object({ on: z.boolean(), off: z.literal(false).optional() }),
  literals: z.object({ size: z.enum(["s", "m"]), level: z.literal([1, 2]) }),
  optional: z.object({ a: z.string().optional(), b: z.number() }),
  nullable: z.object({ a: z.string().nullable(), b: z.null() }),
  nullish: z.object({ a: z.number().nullish() }),
  defaults: z.object({ a: z.string().default("x"), b: z.int32().default(1) }),
  prefault: z.object({ a: z.string().min(2).prefault("xy") }),
  nested: z.object({
    a: z.object({ b: z.object({ c: z.array(z.string()) }) }),
  }),
  strict: z.strictObject({ a: z.string(), b: z.number().optional() }),
  loose: z.looseObject({ a: z.string() }),
  catchall: z.object({ a: z.string() }).catchall(z.number()),
  partial: z.object({ a: z.string(), b: z.number() }).partial(),
  list: z.array(z.object({ id: z.int32() })).min(1).max(3),
  tuple: z.tuple([z.string(), z.number()]),
  rest: z.tuple([z.string()], z.boolean()),
  record: z.record(z.string(), z.number()),
  keys: z.record(z.enum(["a", "b"]), z.boolean()),
  partialKeys: z.partialRecord(z.enum(["a", "b"]), z.boolean()),
  union: z.union([z.string(), z.object({ a: z.number() })]),
  discriminated: z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("a"), a: z.string() }),
    z.object({ kind: z.literal("b"), b: z.number() }),
  ]),
  intersection: z.intersection(
    z.object({ a: z.string() }),
    z.object({ b: z.number() }),
  ),
  recursive: Tree,
  linked: List,
  mutual: Even,
  named: z.object({ one: Named, others: z.array(Named) }),
  formats: z.object({ id: z.uuid(), day: z.iso.date(), email: z.email() }),
  times: z.object({ at: z.iso.datetime(), url: z.ipv4() }),
  unknown: z.object({ any: z.unknown(), never: z.never().optional() }),
  // Valibot
  valibot: form(v.object({ a: v.pipe(v.string(), v.minLength(2)) })),
  valibotUnion: form(v.union([v.number(), v.array(v.boolean())])),
  valibotRecord: form(v.record(v.string(), v.nullable(v.number()))),
  valibotStrict: form(v.strictObject({ a: v.optional(v.number(), 1) })),
  valibotRecursive: form(Folder),
  // ArkType
  arktype: type({ name: "string >= 1", "age?": "0 <= number.integer <= 150" }),
  arktypeUnion: type({ id: "string | number", tags: "string[] <= 2" }),
  arktypeRecursive: shapes.shape,
};
