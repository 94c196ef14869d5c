/** The members that `respond()` sends (behaviour 7.9), compared with the parsers. */
import { assertEquals } from "@std/assert";
import { toStandardJsonSchema as form } from "npm:@valibot/to-json-schema@^1.8.0";
import { scope, type } from "npm:arktype@^2.2.9";
import * as v from "valibot";
import { z } from "zod";
import { respond, type StandardSchemaV1 } from "@bough/framework";
import {
  isDeclared,
  undeclaredIn,
} from "../../../src/core/schema/sent_members.ts";
import { shapeOf } from "../../../src/core/schema/sides.ts";
import { CapturedLog } from "../../support/application.ts";

type Random = () => number;
type Json = Record<string, unknown>;

/** Objects whose members all have one schema, so that none is added. */
const records = new WeakSet<object>();
const record = (value: Json): Json => (records.add(value), value);

interface Row {
  /** Makes a value without undeclared members. */
  readonly make: (random: Random) => unknown;
  readonly zod: z.ZodType;
  readonly valibot: v.GenericSchema;
  readonly ark: StandardSchemaV1;
  /** The rest that an ArkType schema leaves, by hand; by default, the made value. */
  readonly left?: (value: unknown, made: unknown) => unknown;
  /** The rest that Bough sends, if zod and Valibot leave less. */
  readonly sent?: (made: unknown) => unknown;
}

const pick = <Value>(random: Random, ...values: Value[]): Value =>
  values[Math.floor(random() * values.length)]!;
const id = (random: Random): number => Math.floor(random() * 100);
const listOf = <Item>(random: Random, make: (random: Random) => Item): Item[] =>
  Array.from({ length: Math.floor(random() * 4) }, () => make(random));

const zId = z.object({ id: z.number() });
const vId = v.object({ id: v.number() });
const zA = z.object({ a: zId, x: z.string() });
const vA = v.object({ a: vId, x: v.string() });
const zB = z.object({ b: z.array(zId), x: z.string() });
const vB = v.object({ b: v.array(vId), x: v.string() });
const makeId = (random: Random) => ({ id: id(random) });
const makeA = (random: Random) => ({ a: makeId(random), x: "a" });
const makeB = (random: Random) => ({ b: listOf(random, makeId), x: "b" });
const zTree = z.object({
  id: z.number(),
  get kids() {
    return z.array(zTree);
  },
});
interface Tree {
  readonly id: number;
  readonly kids: Tree[];
}
const vTree: v.GenericSchema<Tree> = v.object({
  id: v.number(),
  kids: v.array(v.lazy(() => vTree)),
});
const makeTree = (random: Random, depth = 0): Tree => ({
  id: id(random),
  kids: depth > 3 ? [] : listOf(random, () => makeTree(random, depth + 1)),
});

// deno-fmt-ignore
const ROWS: Readonly<Record<string, Row>> = {
  flat: { make: makeId, zod: zId, valibot: vId, ark: type({ id: "number" }) },
  nested: { make: makeA, zod: zA, valibot: vA, ark: type({ a: { id: "number" }, x: "string" }) },
  list: { make: (r) => listOf(r, makeA), zod: z.array(zA), valibot: v.array(vA), ark: type({ a: { id: "number" }, x: "string" }).array() },
  "list in an object": { make: makeB, zod: zB, valibot: vB, ark: type({ b: type({ id: "number" }).array(), x: "string" }) },
  "list of lists": { make: (r) => listOf(r, () => listOf(r, makeId)), zod: z.array(z.array(zId)), valibot: v.array(v.array(vId)), ark: type({ id: "number" }).array().array() },
  optional: { make: (r) => pick<unknown>(r, { a: null }, { a: makeId(r) }, { a: null, b: makeId(r) }), zod: z.object({ a: zId.nullable(), b: zId.optional() }), valibot: v.object({ a: v.nullable(vId), b: v.optional(vId) }), ark: type({ a: type({ id: "number" }).or("null"), "b?": { id: "number" } }) },
  union: { make: (r) => pick<unknown>(r, makeA(r), makeB(r)), zod: z.union([zA, zB]), valibot: v.union([vA, vB]), ark: type({ a: { id: "number" }, x: "string" }).or({ b: type({ id: "number" }).array(), x: "string" }) },
  "union by values": { make: (r) => pick<unknown>(r, { x: 1, a: 2 }, { x: "1", b: 2 }), zod: z.union([z.object({ x: z.number(), a: z.number() }), z.object({ x: z.string(), b: z.number() })]), valibot: v.union([v.object({ x: v.number(), a: v.number() }), v.object({ x: v.string(), b: v.number() })]), ark: type({ x: "number", a: "number" }).or({ x: "string", b: "number" }) },
  discriminated: { make: (r) => pick<unknown>(r, { kind: "a", ...makeA(r) }, { kind: "b", ...makeB(r) }), zod: z.discriminatedUnion("kind", [zA.extend({ kind: z.literal("a") }), zB.extend({ kind: z.literal("b") })]), valibot: v.variant("kind", [v.object({ ...vA.entries, kind: v.literal("a") }), v.object({ ...vB.entries, kind: v.literal("b") })]), ark: type({ kind: "'a'", a: { id: "number" }, x: "string" }).or({ kind: "'b'", b: type({ id: "number" }).array(), x: "string" }) },
  // The parsers keep the members of the first branch that fits; Bough sends those of all
  // branches that may fit. ArkType reduces the union to its first branch.
  subset: { make: (r) => pick<unknown>(r, makeId(r), { ...makeId(r), email: "e" }), zod: z.union([zId, zId.extend({ email: z.string() })]), valibot: v.union([vId, v.object({ ...vId.entries, email: v.string() })]), ark: type({ id: "number" }).or({ id: "number", email: "string" }), left: (_, made) => ({ id: (made as { id: number }).id }), sent: (made) => made },
  superset: { make: (r) => pick<unknown>(r, makeId(r), { ...makeId(r), email: "e" }), zod: z.union([zId.extend({ email: z.string() }), zId]), valibot: v.union([v.object({ ...vId.entries, email: v.string() }), vId]), ark: type({ id: "number", "email?": "string" }) },
  mixed: { make: (r) => pick<unknown>(r, "s", null, makeId(r), listOf(r, makeA)), zod: z.union([z.string(), z.null(), zId, z.array(zA)]), valibot: v.union([v.string(), v.null(), vId, v.array(vA)]), ark: type("string|null").or({ id: "number" }).or(type({ a: { id: "number" }, x: "string" }).array()) },
  intersection: { make: (r) => ({ ...makeA(r), ...makeB(r), x: "x", a: { ...makeId(r), n: 1 } }), zod: z.intersection(zA, zB.extend({ a: z.object({ n: z.number() }) })), valibot: v.intersect([vA, v.object({ ...vB.entries, a: v.object({ n: v.number() }) })]), ark: type({ a: { id: "number" }, x: "string" }).and({ b: type({ id: "number" }).array(), a: { n: "number" } }) },
  record: { make: (r) => record({ one: makeId(r), two: makeId(r) }), zod: z.record(z.string(), zId), valibot: v.record(v.string(), vId), ark: type({ "[string]": { id: "number" } }) },
  loose: { make: (r) => ({ a: makeId(r) }), zod: z.looseObject({ a: zId }), valibot: v.looseObject({ a: vId }), ark: type({ "[string]": "unknown", a: { id: "number" } }), left: (value, made) => ({ ...value as Json, a: (made as Json).a }) },
  "loose inside": { make: (r) => ({ a: makeId(r), b: {} }), zod: z.object({ a: zId, b: z.looseObject({}) }), valibot: v.object({ a: vId, b: v.looseObject({}) }), ark: type({ a: { id: "number" }, b: "object" }), left: (value, made) => ({ ...made as Json, b: (value as Json).b }) },
  any: { make: (r) => ({ any: makeA(r), a: makeId(r) }), zod: z.object({ any: z.any(), a: zId }), valibot: v.object({ any: v.any(), a: vId }), ark: type({ any: "unknown", a: { id: "number" } }), left: (value, made) => ({ ...made as Json, any: (value as Json).any }) },
  tuple: { make: (r) => [makeId(r), makeA(r)], zod: z.tuple([zId, zA]), valibot: v.tuple([vId, vA]), ark: type([{ id: "number" }, { a: { id: "number" }, x: "string" }]) },
  recursive: { make: makeTree, zod: zTree, valibot: vTree, ark: scope({ tree: { id: "number", kids: "tree[]" } }).export().tree },
  dates: { make: (r) => ({ at: new Date(id(r)), a: makeId(r) }), zod: z.object({ at: z.date(), a: zId }), valibot: v.object({ at: v.date(), a: vId }), ark: type({ at: "Date", a: { id: "number" } }) },
};

/** A generator of numbers from 0 to 1 (mulberry32). */
function seeded(seed: number): Random {
  return () => {
    seed = seed + 0x6d2b79f5 | 0;
    let mixed = Math.imul(seed ^ seed >>> 15, 1 | seed);
    mixed = mixed + Math.imul(mixed ^ mixed >>> 7, 61 | mixed) ^ mixed;
    return ((mixed ^ mixed >>> 14) >>> 0) / 2 ** 32;
  };
}

/** Copies a value, with undeclared members at every depth. */
function extended(value: unknown, random: Random): unknown {
  if (Array.isArray(value)) return value.map((each) => extended(each, random));
  if (typeof value !== "object" || value === null || value instanceof Date) {
    return value;
  }
  const entries = Object.entries(value)
    .map(([key, each]) => [key, extended(each, random)] as const);
  if (!records.has(value)) {
    const extra = pick<unknown>(random, "h", 1, null, { id: 1 }, [{ id: 1 }]);
    const added = [`hash${Math.floor(random() * 3)}`, extra] as const;
    entries.splice(Math.floor(random() * (entries.length + 1)), 0, added);
  }
  return Object.fromEntries(entries);
}

const jsonOf = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

for (const library of ["zod", "valibot", "ark"] as const) {
  Deno.test(`respond() sends the members that ${library} keeps`, async () => {
    using _log = new CapturedLog();
    for (const [name, row] of Object.entries(ROWS)) {
      const schema = library === "valibot" ? form(row.valibot) : row[library];
      const shape = shapeOf(schema);
      const random = seeded(name.length);
      for (let turn = 0; turn < 100; turn++) {
        const made = row.make(random);
        if (row.left === undefined) {
          assertEquals([...undeclaredIn(jsonOf(made), shape)], [], name);
        }
        const value = extended(made, random);
        if (isDeclared(value, shape)) {
          assertEquals([...undeclaredIn(jsonOf(value), shape)], [], name);
        }
        const before = JSON.stringify(value);
        const { value: parsed, issues } = await schema["~standard"].validate(
          value,
        ) as { value: unknown; issues?: unknown };
        assertEquals(issues, undefined, `${name}: ${before}`);
        const expected = library !== "ark"
          ? row.sent?.(made) ?? parsed
          : row.left === undefined
          ? made
          : row.left(value, made);
        const sent = respond({ response: schema }, 200, value as never);
        assertEquals(await sent.json(), jsonOf(expected), `${name}: ${before}`);
        assertEquals(JSON.stringify(value), before, "the value was changed");
      }
    }
  });
}
