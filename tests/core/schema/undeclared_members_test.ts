/**
 * Values by schemas: `respond()` drops undeclared members (behaviour 7.9), and the check
 * of responses reports them and other faults (behaviour 7.7).
 */
import { assertEquals } from "@std/assert";
import { toStandardJsonSchema as form } from "npm:@valibot/to-json-schema@^1.8.0";
import { scope, type } from "npm:arktype@^2.2.9";
import * as v from "valibot";
import { z } from "zod";
import { content, Problem, respond } from "@bough/framework";
import type { StandardSchemaV1 } from "@bough/framework";
import type { RespondSchema } from "@bough/framework/types";
import { checkJson } from "../../../src/core/schema/check_response.ts";
import type { JsonSchema } from "../../../src/core/schema/json_schema.ts";
import { CapturedLog } from "../../support/application.ts";

const id = z.int();
const Id = z.object({ id });
const Named = z.object({ id, name: z.string() });
const Admin = z.object({ id, email: z.email() });
const Tree: z.ZodType = z.object({
  id,
  get kids() {
    return z.array(Tree);
  },
});
const big = (JSON as unknown as { rawJSON: (text: string) => object })
  .rawJSON("12345678901234567890");

const { node: ArkTree } = scope({
  node: { id: "number", kids: "node[]" },
}).export();
interface Node {
  id: number;
  kids: Node[];
}
const ValibotTree: v.GenericSchema<Node> = v.object({
  id: v.number(),
  kids: v.array(v.lazy(() => ValibotTree)),
});
const VId = v.object({ id: v.number() });
const VMore = v.object({ id: v.number(), more: v.number() });
const toId = ({ id }: { id: number }) => ({ id });

class Row {
  id = 1;
  hash = "x";
  get secret(): string {
    return "x";
  }
}

class Model {
  readonly #row: unknown;
  readonly hash = "x";

  constructor(row: unknown) {
    this.#row = row;
  }

  toJSON(): unknown {
    return this.#row;
  }
}

const cyclic: Record<string, unknown> = { id: 1, a: { id: 1 } };
cyclic.hash = { parent: cyclic };
const cyclicBranch: Record<string, unknown> = { kind: "a", at: new Date(0) };
cyclicBranch.self = cyclicBranch;

/** A member that only its prototype has. */
const inherited = (members: object) =>
  Object.assign(Object.create({ hash: 1 }), members);

/** An object with members that are not enumerable, and so are not in its JSON. */
const hidden = (members: object, others: Record<string, unknown>) =>
  Object.defineProperties(
    members,
    Object.fromEntries(
      Object.entries(others).map(([name, value]) => [name, { value }]),
    ),
  );

/** A list whose copies have `toJSON`, too. */
class Rows extends Array<unknown> {
  toJSON(): unknown {
    return this.slice();
  }
}

/** A value that is another one when JSON reads it once more. */
const changing = (...values: readonly unknown[]) => {
  let turn = 0;
  return {
    get a(): unknown {
      return values[Math.min(turn++, values.length - 1)];
    },
  };
};
const text = (members: object): object =>
  Object.assign(Object.create(String.prototype), members);
const callable = (row: object): object =>
  Object.assign(() => {}, { toJSON: () => row });
const whole = { id: 1, hash: 1 };

const itself = { id: 1, hash: 1, toJSON: () => itself as unknown };
/** A schema without a library, perhaps with a JSON Schema. */
const own = (
  json?: object,
  {
    output = json,
    validate = (value: unknown): object => ({ value }),
    ...members
  }: {
    output?: object;
    validate?: (value: unknown) => object;
    mediaType?: string;
  } = {},
): StandardSchemaV1 => ({
  "~standard": {
    version: 1,
    vendor: "own",
    validate,
    ...json && { jsonSchema: { input: () => json, output: () => output } },
  },
  ...members,
} as StandardSchemaV1);
/** A schema whose output has no JSON Schema, so that a function may make it. */
const converted = (json: object): StandardSchemaV1 =>
  own(json, { output: null as never });
const properties = { id: { type: "integer" } };

/**
 * A schema, or several of which all say the same; a value, and what `respond()` sends;
 * what the check finds: the places of undeclared members, with `!` other faults.
 */
type Case = readonly [
  schema: StandardSchemaV1 | readonly StandardSchemaV1[],
  value: unknown,
  sent: unknown,
  found?: string,
];

const length = (text: string) => text.length;
/** Schemas of three libraries. */
const LENGTHS = [
  z.object({ a: z.string().transform(length) }),
  form(v.object({ a: v.pipe(v.string(), v.transform(length)) })),
  type({ a: ["string", "=>", length] }),
];
const EVENTS = [
  z.object({ at: z.date(), name: z.string() }),
  v.object({ at: v.date(), name: v.string() }),
  type({ at: "Date", name: "string" }),
];
const EITHER = [
  z.union([z.object({ at: z.date() }), z.object({ count: z.number() })]),
  form(v.union([v.object({ at: v.date() }), v.object({ count: v.number() })])),
  type({ at: "Date" }).or({ count: "number" }),
];

/** JSON of the input of a schema, of its output, and of neither, with its faults. */
const sides = (
  name: string,
  schema: StandardSchemaV1,
  [input, output, neither]: readonly object[],
  found: string,
): Record<string, Case> => ({
  [`${name}: the input`]: [schema, input, undefined, ""],
  [`${name}: the output`]: [
    schema,
    { ...output, hash: "x" },
    JSON.parse(JSON.stringify(output)),
    "hash",
  ],
  [`${name}: neither`]: [schema, neither, undefined, found],
});

const A: JsonSchema = { properties: { a: {} } };
const B: JsonSchema = { properties: { b: {} } };
const STRICT = { additionalProperties: false };

/** A JSON Schema inside nested unions. */
const nested = (form: JsonSchema, depth: number): JsonSchema =>
  depth === 0 ? form : { anyOf: [nested(form, depth - 1)] };

/** JSON Schemas that declare some of three members. */
const forms = (
  names: string,
  ...forms: readonly JsonSchema[]
): Record<string, Case> =>
  Object.fromEntries(forms.map((form) => {
    const value = { a: 1, b: 2, c: 3 };
    const entries = Object.entries(value)
      .filter(([name]) => names.includes(name));
    const sent = Object.fromEntries(entries);
    const schema = own(form, { mediaType: "application/json" });
    return [JSON.stringify(form), [schema, value, sent]];
  }));

/** Objects with a member of a type. */
const withMember = (member: z.ZodType) =>
  [z.union([Id, member]), member, member.optional()].map((a) =>
    z.object({ a })
  );

// deno-fmt-ignore
const CASES: Readonly<Record<string, Case>> = {
  "a union that every value contradicts": [z.union([Named, Admin]), { id: 1, name: 2, email: 2, hash: "x" }, { id: 1 }],
  "a nested union that every value contradicts": [z.union([z.object({ a: Named }), z.object({ a: Admin })]), { a: { id: 1, name: 2, email: 2 } }, { a: { id: 1 } }],
  "lists that every item contradicts": [z.union([z.array(Named), z.array(Admin)]), [{ id: 1, name: 2, email: 2 }], [{ id: 1 }]],
  "an unknown tag": [z.discriminatedUnion("kind", [Named.extend({ kind: z.literal("a") }), Admin.extend({ kind: z.literal("b") })]), { kind: "c", id: 1, name: "n", email: "no" }, { kind: "c", id: 1 }],
  "a tag with an invalid member": [z.union([Named.extend({ kind: z.literal("a") }), Admin.extend({ kind: z.literal("b") })]), { kind: "b", id: 1, name: "n", email: 5 }, { kind: "b", id: 1 }],
  "a union by a refinement": [z.union([Named.refine(({ id }) => id > 9), Id]), { id: 1, name: "n", hash: 1 }, { id: 1, name: "n" }],
  "a union by an asynchronous refinement": [z.union([Named.refine(() => Promise.resolve(true)), Id]), { id: 1, name: "n", hash: 1 }, { id: 1, name: "n" }],
  "a union with a date": [z.union([z.object({ id, at: z.iso.datetime() }), Id]), { id: 1, at: new Date(0), hash: 1 }, { id: 1, at: "1970-01-01T00:00:00.000Z" }],
  "a union of ArkType by limits, which exclude nothing": [type({ id: "number>5", a: "number" }).or({ id: "number<=5", b: "/^x/" }), { id: 1, a: 1, b: "y", hash: 1 }, { id: 1, a: 1, b: "y" }],
  "a union of Valibot, one of them loose": [form(v.union([v.object({ a: v.number() }), v.looseObject({ a: v.string() })])), { a: "1", hash: 1 }, { a: "1", hash: 1 }],
  "a strict object": [z.strictObject({ id }), { id: 1, hash: 1 }, { id: 1 }],
  "a catchall": [Id.catchall(Id), { id: 1, a: { id: 1, hash: 1 } }, { id: 1, a: { id: 1 } }],
  "a record of listed names": [z.record(z.enum(["a", "b"]), id), { a: 1, b: 2, hash: 1 }, { a: 1, b: 2 }],
  "patterns of names": [type({ "[/^x/]": { id: "number" } }), { xa: { id: 1, hash: 1 } }, { xa: { id: 1 } }],
  "a loose part of an intersection": [z.intersection(z.looseObject({}), z.object({ a: Id })), { a: { id: 1, b: 1 }, c: 1 }, { a: { id: 1, b: 1 }, c: 1 }],
  "an object for a string": [z.object({ author: z.string() }), { author: { hash: 1 } }, { author: {} }],
  "a list for an object": [Id, [{ id: 1 }], [{}]],
  "an empty object": [z.object({}), { hash: 1 }, {}],
  "instances": [z.array(Id), [new Row()], [{ id: 1 }]],
  "toJSON": [z.object({ a: Id, b: z.array(Id) }), { a: new Model(new Row()), b: [new Model({ id: 1, hash: 1 }), new Model(null)] }, { a: { id: 1 }, b: [{ id: 1 }, null] }],
  "toJSON of the whole": [Id, new Model({ id: 1, hash: 1 }), { id: 1 }],
  "toJSON of a result, which JSON ignores": [Id, new Model(new Model({ hash: 1 })), {}],
  "maps, sets, boxes and raw numbers": [z.object({ a: Id, b: z.array(Id), c: z.string(), d: z.number() }), { a: new Map([["hash", 1]]), b: new Set([1]), c: Object("s"), d: big }, { a: {}, b: {}, c: "s", d: 12345678901234567890 }],
  "inherited members": [z.object({ a: Id, hash: z.int().optional() }), inherited({ a: inherited({ id: 1, x: 1 }) }), { a: { id: 1 } }],
  "a member called __proto__": [z.record(z.string(), Id), JSON.parse('{"__proto__":{"id":1,"hash":1}}'), JSON.parse('{"__proto__":{"id":1}}')],
  "requirements beside members": [own({ type: "object", properties, anyOf: [{ required: ["id"] }, { required: ["x"] }] }), { id: 1, x: 1 }, { id: 1 }],
  "a reference beside members": [own({ type: "object", properties, $ref: "#/$defs/a", $defs: { a: { properties: { b: properties.id } } } }), { id: 1, b: 1, hash: 1 }, { id: 1, b: 1 }],
  "a record of constant names": [z.partialRecord(z.union([z.literal("a"), z.enum(["b"])]), Id), { a: { id: 1, hash: 1 }, hash: 1 }, { a: { id: 1 } }],
  "a record of names with a pattern": [z.record(z.string().regex(/^x/), Id), { xa: { id: 1, hash: 1 }, b: { id: 1 } }, { xa: { id: 1 } }],
  "a record of numbers": [z.record(z.number(), Id), { 1: { id: 1, hash: 1 } }, { 1: { id: 1 } }],
  "a record of one name of Valibot": [form(v.record(v.literal("a"), v.any())), { a: 1, hash: 1 }, { a: 1 }],
  "a name that matches no pattern": [type({ id: "number", "[/^x/]": "number" }), { id: 1, xa: 1, hash: 1 }, { id: 1, xa: 1 }],
  "patterns of an intersection": [type({ "[/^x/]": "number" }).and({ "[/^y/]": "number" }), { x: 1, y: 1, hash: 1 }, { x: 1, y: 1 }],
  "a loose record": [z.looseRecord(z.string().regex(/^x/), Id), { xa: { id: 1, hash: 1 }, b: 1 }, { xa: { id: 1 }, b: 1 }],
  "a member that must be missing": [z.object({ id, hash: z.never().optional() }), { id: 1, hash: { id: 1 } }, { id: 1 }],
  "a string that must be missing": [z.object({ id, hash: z.never().optional() }), { id: 1, hash: "x" }, { id: 1 }],
  "other members that must be missing": [form(v.objectWithRest({ id: v.number() }, v.never())), { id: 1, hash: 1 }, { id: 1 }],
  "more items than a tuple": [form(v.tuple([v.object({ id: v.number() })])), [{ id: 1, hash: 1 }, { hash: 1 }], [{ id: 1 }, {}]],
  "a loose tuple": [form(v.looseTuple([v.object({ id: v.number() })])), [{ id: 1, hash: 1 }, { b: 1 }], [{ id: 1 }, { b: 1 }]],
  "tuples that every value contradicts": [form(v.union([v.tuple([v.object({ a: v.number() })]), v.tuple([v.object({ a: v.string() })])])), [{ a: null, hash: 1 }, { hash: 1 }], [{ a: null }, {}]],
  "the last items of an array of ArkType": [type(["...", type({ id: "number" }).array(), { n: "string" }]), [{ id: 1, hash: 1 }, { n: "n", hash: 1 }], [{ id: 1 }, { n: "n" }]],
  "a list for the type object": [type({ a: "object" }), { a: [{ b: 1 }], hash: 1 }, { a: [{ b: 1 }] }],
  "an undeclared bigint": [z.object({ a: z.array(Id), b: z.tuple([Id]), c: z.string().nullable() }), { a: [{ id: 1, hash: 1n }], b: [{ id: 1, hash: 1n }], c: new Date(0), hash: 1n }, { a: [{ id: 1 }], b: [{ id: 1 }], c: "1970-01-01T00:00:00.000Z" }],
  "an undeclared cycle": [z.object({ id, a: Id }), cyclic, { id: 1, a: { id: 1 } }],
  "an undeclared bigint in a union": [z.discriminatedUnion("kind", [z.object({ kind: z.literal("a"), id }), z.object({ kind: z.literal("b") })]), { kind: "a", id: 1, hash: 1n }, { kind: "a", id: 1 }],
  "a branch without a member": [z.union([z.object({ hash: z.never().optional(), a: z.string().optional() }), z.object({ hash: z.string(), id })]), { hash: "e", id: 5 }, { hash: "e", id: 5 }],
  "a branch of instances": [z.union([z.instanceof(URL), Id]), { id: 1, hash: 1 }, { id: 1 }],
  "a union with bigint": [type({ a: type("bigint").or({ id: "number" }) }), { a: { id: 1, hash: 1 } }, { a: { id: 1 } }],
  "a union with a pattern that the flag u forbids": [type({ id: "number", mail: /^\S+\@x$/ }).or({ id: "number", n: "number" }), { id: 1, mail: "a@x", hash: 1 }, { id: 1, mail: "a@x" }],
  "lists with toJSON": [z.object({ a: z.array(Id) }), { a: Rows.from([{ id: 1, hash: 1 }]) }, { a: [{ id: 1 }] }],
  "toJSON that returns the value itself": [Id, itself, { id: 1 }],
  "toJSON of functions": [z.object({ a: Id, b: z.array(Id) }), { a: callable(whole), b: [callable(whole)], c: callable(whole) }, { a: { id: 1 }, b: [{ id: 1 }] }],
  "toJSON of the function itself": [Id, callable(whole), { id: 1 }],
  "toJSON of a date": [z.object({ a: Id, at: z.date() }), { a: Object.assign(new Date(0), { toJSON: () => whole }), at: Object.assign(new Date(0), { toISOString: () => whole }) }, { a: { id: 1 }, at: {} }],
  "toJSON as a member": [z.looseObject({ a: Id }), { toJSON: () => ({ a: whole, toJSON: () => ({ a: whole }) }) }, { a: { id: 1 } }],
  "a getter that adds members": [z.object({ a: Id }), changing({ id: 1 }, whole), { a: { id: 1 } }],
  "a getter that is null at first": [z.object({ a: Id.nullish() }), changing(null, whole), { a: { id: 1 } }],
  "a getter that is undefined at first": [z.object({ a: Id.optional() }), changing(undefined, whole), { a: { id: 1 } }],
  "a getter of a list": [z.object({ a: z.array(Id) }), changing([{ id: 1 }], [whole]), { a: [{ id: 1 }] }],
  "an object below String.prototype": [z.object({ a: z.string(), b: Id, c: z.union([z.string(), Id]) }), { a: text(whole), b: text(whole), c: text(whole) }, { a: {}, b: { id: 1 }, c: { id: 1 } }],
  "boxes": [z.object({ a: z.number(), b: z.boolean(), c: z.string().nullable(), d: z.array(z.string()) }), { a: Object(1), b: Object(true), c: Object("c"), d: [Object("d")] }, { a: 1, b: true, c: "c", d: ["d"] }],
  "a raw number in a union": [z.object({ a: z.union([z.number(), z.null()]), b: z.number().optional() }), { a: big, b: big }, { a: 12345678901234567890, b: 12345678901234567890 }],
  "untagged public and private forms": [z.union([Id, Named]), { id: 1, name: "n", email: "e", hash: 1 }, { id: 1, name: "n" }],
  "a missing discriminator": [z.discriminatedUnion("kind", [Named.extend({ kind: z.literal("a") }), Admin.extend({ kind: z.literal("b") })]), { id: 1, name: "n", email: "e", hash: 1 }, { id: 1 }],
  "a tag below a member": [z.union([Named.extend({ meta: z.object({ kind: z.literal("a") }) }), Admin.extend({ meta: z.object({ kind: z.literal("b") }) })]), { id: 1, meta: { kind: "b", hash: 1 }, name: "n", email: "e", hash: 1 }, { id: 1, meta: { kind: "b" }, email: "e" }],
  "a missing tag below a member": [z.union([Named.extend({ meta: z.object({ kind: z.literal("a") }) }), Admin.extend({ meta: z.object({ kind: z.literal("b") }) })]), { id: 1, name: "n", email: "e", hash: 1 }, { id: 1 }],
  "a member of another type": [z.union([z.object({ id: z.number(), key: z.string() }), z.object({ id: z.string(), name: z.string() })]), { id: "a", key: "k", name: "n", hash: 1 }, { id: "a", name: "n" }],
  "a member that is null in one branch": [z.union([z.object({ owner: z.null(), key: z.string() }), z.object({ owner: Named, name: z.string() })]), { owner: { id: 1, name: "n", hash: 1 }, key: "k", name: "n", hash: 1 }, { owner: { id: 1, name: "n" }, name: "n" }],
  "a union with a record": [z.union([Named, z.record(z.string(), z.number())]), { id: 1, name: "n", more: 2, hash: 1 }, { id: 1, name: "n" }],
  "a union with a record of the same values": [z.union([Id, z.record(z.string(), z.number())]), { id: 1, hash: 2 }, { id: 1 }],
  "a record in a union": [z.union([Named, z.record(z.string(), z.number())]), { id: 1, more: 2 }, { id: 1, more: 2 }],
  "an intersection of a union": [z.intersection(z.union([Named.extend({ kind: z.literal("a") }), Admin.extend({ kind: z.literal("b") })]), z.object({ at: z.string() })), { kind: "a", id: 1, name: "n", email: "e", at: "t", hash: 1 }, { kind: "a", id: 1, name: "n", at: "t" }],
  "a union of intersections": [z.union([Named.and(z.object({ kind: z.literal("a") })), Admin.and(z.object({ kind: z.literal("b") }))]), { kind: "b", id: 1, name: "n", email: "e", hash: 1 }, { kind: "b", id: 1, email: "e" }],
  "a loose branch that lacks its members": [z.union([Id, z.looseObject({ open: z.boolean() })]), { id: 1, hash: 1 }, { id: 1 }],
  "an intersection of any values": [z.object({ a: z.intersection(z.array(z.any()), z.array(z.unknown())) }), { a: [{ b: 1 }], hash: 1 }, { a: [{ b: 1 }] }],
  "an intersection of two records": [z.intersection(z.record(z.string(), Id), z.record(z.string(), z.object({ a: id }))), { x: { id: 1, a: 2, hash: 1 } }, { x: { id: 1, a: 2 } }],
  "a branch of any value": [z.union([z.custom(), Id]), { more: { b: 1 } }, { more: { b: 1 } }],
  "a union of lists": [z.union([z.array(Named.extend({ kind: z.literal("a") })), z.array(Admin.extend({ kind: z.literal("b") }))]), [{ kind: "a", id: 1, name: "n", email: "e", hash: 1 }], [{ kind: "a", id: 1, name: "n" }]],
  "a tag that is not enumerable": [z.discriminatedUnion("kind", [Named.extend({ kind: z.literal("a") }), Admin.extend({ kind: z.literal("b") })]), hidden({ id: 1, name: "n" }, { kind: "a" }), { id: 1 }],
  "a tag of the prototype": [z.discriminatedUnion("kind", [Named.extend({ kind: z.literal("a") }), Admin.extend({ kind: z.literal("b") })]), Object.assign(Object.create({ kind: "a" }), { id: 1, name: "n" }), { id: 1 }],
  // Both sides of a schema.
  "a neighbour of a member that has the form of the output": [z.object({ active: z.stringbool(), owner: Named.transform(({ name }) => ({ label: name })) }), { active: true, owner: { id: 1, name: "n", hash: 1 } }, { active: true, owner: { id: 1, name: "n" } }],
  "a neighbour of an invalid member": [z.object({ n: z.number(), profile: Named.transform(({ name }) => name) }), { n: "x", profile: { id: 1, name: "n", hash: 1 } }, { n: "x", profile: { id: 1, name: "n" } }],
  "an invalid input of a function": [z.array(Named.transform((row) => row)), [{ id: 1, name: null, hash: 1 }, { id: 2, hash: 1 }], [{ id: 1, name: null }, { id: 2 }]],
  "what a function makes of a string": [z.object({ meta: z.string().transform((text) => JSON.parse(text)) }), { meta: { a: 1 }, hash: 1 }, { meta: { a: 1 } }],
  "the described output of any value": [z.object({ user: z.any().pipe(Id) }), { user: { id: 1, hash: 1 }, hash: 1 }, { user: { id: 1 } }],
  "two codecs, of which one has the form of the input": [z.object({ on: z.stringbool(), of: z.codec(z.object({ a: z.string() }), z.object({ b: id }), { decode: ({ a }) => ({ b: Number(a) }), encode: ({ b }) => ({ a: String(b) }) }) }), { on: true, of: { a: "1", hash: 1 } }, { on: true, of: { a: "1" } }],
  "members of both sides of a codec": [z.codec(z.object({ a: z.string() }), z.object({ b: id }), { decode: ({ a }) => ({ b: Number(a) }), encode: ({ b }) => ({ a: String(b) }) }), { b: 1, a: 2, hash: 1 }, { b: 1 }],
  "an intersection with what a function makes": [Named.transform((row) => row).and(z.object({ age: id })), { id: 1, name: "n", age: 3, hash: 1 }, { id: 1, name: "n", age: 3 }],
  "an invalid input of a function, or null": [z.object({ a: Named.transform((row) => row).nullable(), b: z.any().pipe(Named).nullable() }), { a: { id: 1, hash: 1 }, b: { id: 1, hash: 1 } }, { a: { id: 1 }, b: { id: 1 } }],
  "records with a pattern on each side": [z.codec(z.record(z.string().regex(/^a/), id), z.record(z.string().regex(/^b/), id), { decode: () => ({}), encode: () => ({}) }), { b: 1, hash: 1 }, { b: 1 }],
  "an undeclared bigint next to a member without JSON": [z.union([Named.extend({ kind: z.literal("a"), note: z.string().optional() }), Admin.extend({ kind: z.literal("b") })]), { kind: "a", id: 1, name: "n", note: undefined, hash: 1n }, { kind: "a", id: 1, name: "n" }],
  "a member named like a keyword": [z.object({ default: z.codec(z.object({ a: z.string() }), z.object({ b: id }), { decode: ({ a }) => ({ b: Number(a) }), encode: ({ b }) => ({ a: String(b) }) }) }), { default: { b: 1, hash: 1 } }, { default: { b: 1 } }],
  "a constant object": [own({ type: "object", properties: { a: { const: { b: 1 } } } }), { a: { b: 1 }, hash: 1 }, { a: { b: 1 } }],
  "the input of a codec": [z.codec(Id, z.object({ name: z.string() }), { decode: () => ({ name: "n" }), encode: () => ({ id: 1 }) }), { id: 1, hash: 1 }, { id: 1 }],
  "the output of a codec": [z.codec(Id, z.object({ name: z.string() }), { decode: () => ({ name: "n" }), encode: () => ({ id: 1 }) }), { name: "n", hash: 1 }, { name: "n" }],
  "an undeclared cycle next to the date of a branch": [z.discriminatedUnion("kind", [z.object({ kind: z.literal("a"), at: z.iso.datetime() }), z.object({ kind: z.literal("b"), id })]), cyclicBranch, { kind: "a", at: "1970-01-01T00:00:00.000Z" }],
  // Rows with the places that `validateResponses` reports.
  "a member that an object does not name": [[Id, type({ id: "number" }), type({ id: "number", "+": "delete" }), form(VId), Id.transform((all) => ({ n: all.id })), form(v.pipe(VId, v.check(() => true))), Id.nullable(), Id.meta({ id: "Named" }), Id.refine(async () => await true), Id.and(Id), own({ properties: { id: {} } })], { id: 1, hash: "x" }, { id: 1 }, "hash"],
  "members at any depth, those of a list once": [[z.object({ items: z.array(Id), by: z.object({}) }), type({ items: type({ id: "number" }).array(), by: { "id?": "number" } }), form(v.object({ items: v.array(VId), by: v.object({}) }))], { items: [{ id: 1 }, { id: 2, hash: "x" }, { id: 3, hash: "y" }], by: { name: "a" } }, { items: [{ id: 1 }, { id: 2 }, { id: 3 }], by: {} }, "items/1/hash by/name"],
  "members of a list, a tuple or a record": [[z.tuple([z.array(Id), z.record(z.string(), Id)], z.object({})), form(v.tupleWithRest([v.array(VId), v.record(v.string(), VId)], v.object({})))], [[{ id: 1, a: 1 }], { x: { id: 1, b: 1 } }, { c: 1 }], [[{ id: 1 }], { x: { id: 1 } }, {}], "0/0/a 1/x/b 2/c"],
  "members of a recursive schema": [[Tree, ArkTree, form(ValibotTree)], { id: 1, kids: [{ id: 2, kids: [], hash: "x" }] }, { id: 1, kids: [{ id: 2, kids: [] }] }, "kids/0/hash"],
  "a member of another branch of a union": [[z.discriminatedUnion("kind", [z.object({ kind: z.literal("open"), id }), z.object({ kind: z.literal("staff"), id, hash: z.string() })]), type({ kind: "'open'", id: "number" }).or({ kind: "'staff'", id: "number", hash: "string" }), form(v.variant("kind", [v.object({ kind: v.literal("open"), id: v.number() }), v.object({ kind: v.literal("staff"), id: v.number(), hash: v.string() })]))], { kind: "open", id: 1, hash: "x" }, { kind: "open", id: 1 }, "hash"],
  "a member that must be absent, and is": [z.object({ a: z.never().optional() }), {}, {}, ""],
  "a member next to a date": [[z.object({ at: z.date() }), type({ at: "Date" }), form(v.object({ at: v.date() }))], { at: "2026-01-31T12:00:00.000Z", hash: "x" }, { at: "2026-01-31T12:00:00.000Z" }, "hash"],
  "a schema without a JSON Schema": [[VId, own()], { id: 1, hash: "x" }, { id: 1, hash: "x" }, ""],
  "a loose object": [[z.looseObject({ id }), type({ id: "number", "[string]": "unknown" }), form(v.looseObject({ id: v.number() })), v.looseObject({ id: v.number() }), z.looseObject({ id }).transform(toId), own({ properties: { id: {} }, additionalProperties: true }), own()], { id: 1, more: { deep: [{ er: 1 }] } }, { id: 1, more: { deep: [{ er: 1 }] } }, ""],
  "described other members": [[Id.catchall(z.object({ a: id })), form(v.objectWithRest({ id: v.number() }, v.object({ a: v.number() }))), type({ id: "number", "[/^x/]": { a: "number" } }), z.record(z.string(), z.union([id, z.object({ a: id })])), z.looseRecord(z.string().regex(/./), z.any()), z.any(), v.record(v.string(), v.any()), z.custom(), z.any().transform((all) => new Map(Object.entries(all)))], { id: 1, x: { a: 1 } }, { id: 1, x: { a: 1 } }, ""],
  "a value that a function converts before the JSON Schema": [[converted({ type: "string" }), converted({ additionalProperties: { type: ["array", "number"] } }), converted({ properties: { id: { const: 2 } } })], { id: 1, x: { a: 1 } }, undefined, ""],
  "a union that names it in one of its branches": [[z.union([Id, z.object({ id, more: id })]), type({ id: "number", "more?": "string" }).or({ id: "number", more: "number" }), z.union([Id, z.looseObject({ id })]), form(v.union([VId, VMore])), v.union([VMore, VId]), Id.and(z.object({ more: id })), Id.and(z.looseObject({}))], { id: 1, more: 2 }, { id: 1, more: 2 }, ""],
  "a member that is converted or dropped": [[z.object({ id, more: id }).transform(toId), type({ id: "number", more: "number" }).pipe(toId), form(v.pipe(VMore, v.transform((all) => toId(all)))), v.pipe(VMore, v.transform((all) => toId(all))), v.pipe(v.object({ id: v.number(), more: v.optional(v.number()) }), v.transform((all) => toId(all))), z.preprocess((all) => ({ ...all as object }), z.object({ id, more: id })), z.codec(z.object({ id, more: id }), Id, { decode: toId, encode: ({ id }) => ({ id, more: 1 }) }), v.pipe(VMore, v.transform((all) => new Map(Object.entries(all)))), v.pipe(v.looseObject({}), v.transform(() => "")), own(undefined, { validate: (value) => ({ value: { sum: Object.keys(value as object).length } }) })], { id: 1, more: 2 }, { id: 1, more: 2 }, ""],
  "a member with a default, or optional": [[z.object({ id: id.default(1), more: id.optional() }), type({ id: "number = 1", "more?": "number" }), v.object({ id: v.optional(v.number(), 1), more: v.optional(v.number()) })], { more: 2 }, { more: 2 }, ""],
  "the extension members of a problem": [Problem, { type: "a", title: "b", status: 400, balance: { of: 30 } }, { type: "a", title: "b", status: 400, balance: { of: 30 } }, ""],
  "names of the prototype": [[Id, form(VId)], JSON.parse('{ "id": 1, "__proto__": { "a": 1 }, "toString": 1 }'), { id: 1 }, "__proto__ toString"],
  // The form of the input or of the output (behaviour 7.7).
  ...sides("z.stringbool()", z.object({ a: z.stringbool() }), [{ a: "yes" }, { a: true }, { a: 1 }], "!a must be a boolean, not a number"),
  ...sides("a codec", z.codec(z.object({ a: z.string() }), z.object({ b: z.number() }), { decode: ({ a }) => ({ b: Number(a) }), encode: ({ b }) => ({ a: String(b) }) }), [{ a: "1" }, { b: 1 }, { b: "1" }], "!b must be a number, not a string"),
  ...sides("a codec of dates", z.object({ at: z.codec(z.number(), z.date(), { decode: (at) => new Date(at), encode: Number }) }), [{ at: 0 }, { at: new Date(0) }, { at: true }], "!at must be a string, not a boolean"),
  ...sides("a transform with a described result", z.object({ a: z.string().transform(Number).pipe(z.number()) }), [{ a: "1" }, { a: 1 }, { a: [] }], "!a must be a number, not an array"),
  ...sides("a transform of Valibot", form(v.object({ a: v.pipe(v.string(), v.transform(Number), v.number()), b: v.number() })), [{ a: "1", b: 1 }, { a: 1, b: 1 }, { a: 1, b: "1" }], "!b must be a number, not a string"),
  ...sides("a transform of ArkType", type({ a: type("string.numeric.parse").to("number") }), [{ a: "1" }, { a: 1 }, { a: true }], "!a must be a number, not a boolean"),
  ...Object.fromEntries(["text", 4, [4]].map((a) => [`the result of a function: ${a}`, [LENGTHS, { a }, undefined, ""]])),
  "a missing member of a function": [LENGTHS, {}, undefined, "!a"],
  "a converted member": [z.object({ count: z.coerce.number() }), { count: "12" }, undefined, "!count must be a number, not a string"],
  "a member that need not be converted": [z.object({ count: z.coerce.number() }), { count: 12 }, { count: 12 }, ""],
  "a converted member of a list": [z.array(z.object({ count: z.coerce.number() })), [{ count: "1" }], undefined, "!0/count must be a number, not a string"],
  "a member converted to a string": [z.object({ a: z.coerce.string() }), { a: 1 }, undefined, "!a must be a string, not a number"],
  "a member converted to a boolean": [z.object({ a: z.coerce.boolean() }), { a: "no" }, undefined, "!a must be a boolean, not a string"],
  "a preprocessed member": [z.object({ a: z.preprocess(Number, z.number()) }), { a: "1" }, undefined, "!a must be a number, not a string"],
  "a string that a function trims, converts or reads as a boolean": [[z.object({ a: z.string().trim() }), z.object({ a: z.stringbool() }), z.object({ a: z.string().transform(Number) })], { a: "true" }, { a: "true" }, ""],
  "a member that may be null": [z.object({ a: z.string().nullable() }), { a: null }, { a: null }, ""],
  "members with the names of keywords": [z.object({ required: z.stringbool(), default: z.stringbool() }), { required: true, default: true }, { required: true, default: true }, ""],
  "a date": [EVENTS, { at: new Date(0), name: "Open day" }, { at: "1970-01-01T00:00:00.000Z", name: "Open day" }, ""],
  "a date next to a string that looks like one": [[...EVENTS, z.object({ at: z.coerce.date(), name: z.string() })], { at: new Date(8.64e15), name: new Date(0).toJSON() }, { at: "+275760-09-13T00:00:00.000Z", name: "1970-01-01T00:00:00.000Z" }, ""],
  "a string that is no date": [EVENTS, { at: "tomorrow", name: "Z" }, undefined, "!at"],
  "a date that does not exist": [EVENTS, { at: "2026-02-30T00:00:00.000Z", name: "" }, undefined, "!at"],
  "a wrong member next to a date": [EVENTS, { at: new Date(0), name: 5 }, undefined, "!name"],
  "a date for a number": [[z.object({ count: z.number() }), form(v.object({ count: v.number() })), type({ count: "number" })], { count: new Date(0) }, undefined, "!count"],
  "a date that is tried for each string of a list": [z.array(z.object({ at: z.date(), count: z.number() })), [{ at: new Date(0), count: new Date(0) }, { at: new Date(0), count: 1 }], undefined, "!0/count"],
  "a date in a union": [EITHER, { at: new Date(0) }, { at: "1970-01-01T00:00:00.000Z" }, ""],
  "another branch of a union with a date": [EITHER, { count: 1 }, { count: 1 }, ""],
  "a date for another member of a union": [EITHER, { count: new Date(0) }, undefined, "!"],
  // Schemas that allow no object, by the type that each library calls so.
  "an object for a date": [[z.date(), form(v.date()), type("Date")], whole, {}],
  "an object for a bigint": [[z.bigint(), form(v.bigint()), type("bigint")], whole, {}],
  "an object for undefined": [[z.undefined(), z.void(), form(v.undefined()), form(v.void()), type("undefined")], whole, {}],
  "an object for NaN": [[z.nan(), form(v.nan()), type("number.NaN")], whole, {}],
  "an object for a symbol": [[z.symbol(), form(v.symbol()), type("symbol")], whole, {}],
  "an object for a map or a set": [[z.map(z.string(), z.string()), form(v.map(v.string(), v.string())), type("Map"), z.set(z.string()), form(v.set(v.string())), type("Set")], whole, {}],
  "an object for a member without objects": [[z.date(), z.bigint(), z.undefined(), z.void(), z.nan(), z.symbol(), z.map(z.string(), z.string()), z.set(z.string())].flatMap(withMember), { a: { hash: 1 } }, { a: {} }],
  // The members that JSON Schemas declare.
  ...forms("", { properties: {} }, { type: "string" }, { const: "a" }, { enum: ["a"] }, { $ref: "#" }, nested(A, 11)),
  ...forms("a", { type: "object", ...A }, { type: ["object", "null"], ...A }, { properties: { a: true } }, { ...A, ...STRICT }, { anyOf: [A, false] }, nested(A, 10)),
  ...forms("a", { ...A, patternProperties: { "^x": { type: "string" } } }),
  ...forms("a", { $ref: "#/$defs/a~1b~0", $defs: { "a/b~": A } }, { $ref: "#/$defs/A%20B/properties/c", $defs: { "A B": { properties: { c: A } } } }),
  // The name of this definition is not escaped.
  ...forms("a", { $ref: "#/$defs/a/50%", $defs: { "a/50%": A } }),
  ...forms("a b", { anyOf: [A, { type: "null" }, { oneOf: [B, true] }] }, { $ref: "#/$defs/A", ...B, $defs: { A } }),
  ...forms("a b", { ...A, allOf: [{ ...B, ...STRICT }] }, { allOf: [{ ...A, ...STRICT }, B] }, { allOf: [B, { ...A, ...STRICT }] }),
  ...forms("a b c", {}, { type: "object" }, { ...A, additionalProperties: { type: "string" } }, { ...A, additionalProperties: true }),
  ...forms("a b c", { propertyNames: { enum: ["a", "b"] }, additionalProperties: {}, required: ["b", "c"] }),
  ...forms("a b c", { additionalProperties: { type: "number" }, anyOf: [A] }, { allOf: [{ ...A, ...STRICT }, {}] }, { allOf: [{ anyOf: [A, B] }, { properties: { c: {} } }] }),
  ...forms("a b c", { $ref: "#/$defs/50%" }, { $ref: "#A", properties: {} }, { $ref: "#/$defs/A" }),
};

async function sentBy(schema: unknown, value: unknown): Promise<unknown> {
  const { body } = respond(
    { response: schema } as RespondSchema,
    200 as never,
    value as never,
  );
  return await new Response(body).json();
}

const UNDECLARED =
  /^(?:is undeclared; declare it, or do not send it|must be absent)$/;

async function foundIn(schema: StandardSchemaV1, json: string) {
  const value = JSON.parse(json);
  const issues = await checkJson(schema, value) ?? [];
  assertEquals(JSON.stringify(value), json, "the check changes no value");
  return issues.map(({ message, path = [] }) => {
    const steps = Array.from(
      path,
      (step) => typeof step === "object" ? step.key : step,
    );
    const place = steps.join("/");
    if (UNDECLARED.test(message)) return place;
    // The messages of libraries differ.
    return message.startsWith("must ") ? `!${place} ${message}` : `!${place}`;
  });
}

for (const [name, [schema, value, sent, found]] of Object.entries(CASES)) {
  Deno.test(`members that are sent, and faults that are found (behaviour 7.7, 7.9): ${name}`, async () => {
    using _log = new CapturedLog();
    const schemas = (Array.isArray(schema)
      ? schema
      : [schema]) as readonly StandardSchemaV1[];
    for (const [index, each] of schemas.entries()) {
      const which = `schema ${index}`;
      if (sent !== undefined) {
        for (
          const one of [each, { 200: content("application/a+json", each) }]
        ) {
          assertEquals(await sentBy(one, value), sent, which);
        }
      }
      if (found === undefined) {
        continue;
      }
      const places = await foundIn(each, JSON.stringify(value));
      assertEquals(places.join(" "), found, which);
    }
  });
}

Deno.test("the check of undeclared members accepts deep nesting, and reports at most a hundred members (behaviour 7.7)", async () => {
  const deep = (open: string, close: string) =>
    JSON.parse(`{"a":${open.repeat(20_000)}1${close.repeat(20_000)}}`);
  for (
    const schema of [
      z.any(),
      z.object({ a: z.any() }),
      z.union([z.object({ b: z.object({}) }), z.any()]),
      v.object({ a: v.any() }),
    ]
  ) {
    assertEquals(await checkJson(schema, deep('{"a":', "}")), undefined);
    assertEquals(await checkJson(schema, deep("[", "]")), undefined);
  }
  // The check follows a schema as deep as zod does.
  const tree = '{"id":1,"kids":['.repeat(500) + "]}".repeat(500);
  assertEquals(await checkJson(Tree, JSON.parse(tree)), undefined);
  const members = Array.from({ length: 500 }, (_, index) => [`m${index}`, 1]);
  const many = JSON.stringify(Object.fromEntries(members));
  assertEquals((await foundIn(z.object({}), many)).length, 100);
});
