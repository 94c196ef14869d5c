/** Undeclared members of `respond()`, events and messages (behaviour 7.9). */
import {
  assert,
  assertEquals,
  assertMatch,
  assertRejects,
  assertThrows,
} from "@std/assert";
import { toStandardJsonSchema as form } from "npm:@valibot/to-json-schema@^1.8.0";
import { type } from "npm:arktype@^2.2.9";
import * as v from "valibot";
import { z } from "zod";
import * as zm from "zod/mini";
import { content, Problem, respond } from "@bough/framework";
import type {
  FrameworkOptions,
  FrameworkRequest,
  StandardSchemaV1,
} from "@bough/framework";
import { assertCpuTime } from "../../support/cpu_time.ts";
import {
  CapturedLog,
  TestApplication,
  type TestModule,
} from "../../support/application.ts";

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
const own = (json: object): StandardSchemaV1 => ({
  "~standard": {
    version: 1,
    vendor: "own",
    validate: (value: unknown) => ({ value }),
    jsonSchema: { input: () => json, output: () => json },
  },
} as StandardSchemaV1);
const properties = { id: { type: "integer" } };

// deno-fmt-ignore
const CASES: Readonly<Record<string, readonly [schema: StandardSchemaV1, value: unknown, sent: unknown]>> = {
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
  "an undeclared member called __proto__": [Id, JSON.parse('{"id":1,"__proto__":{"hash":1}}'), { id: 1 }],
  "a problem with extensions": [Problem, { type: "a", title: "b", status: 400, more: 1 }, { type: "a", title: "b", status: 400, more: 1 }],
  "a schema of Valibot without a JSON Schema": [v.object({ id: v.number() }), { id: 1, hash: 1 }, { id: 1, hash: 1 }],
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
};

Deno.test("respond() leaves out undeclared members", async (test) => {
  using _log = new CapturedLog();
  for (const [name, [schema, value, sent]] of Object.entries(CASES)) {
    await test.step(name, async () => {
      for (
        const response of [schema, {
          200: content("application/a+json", schema),
        }]
      ) {
        const { body } = respond({ response }, 200 as never, value as never);
        assertEquals(await new Response(body).json(), sent);
      }
    });
  }
});

/** Schemas that allow no object, by the type that each library calls so. */
const WITHOUT_OBJECTS: Readonly<
  Record<string, readonly StandardSchemaV1[]>
> = {
  date: [z.date(), form(v.date()), type("Date")],
  bigint: [z.bigint(), form(v.bigint()), type("bigint")],
  undefined: [z.undefined(), form(v.undefined()), type("undefined")],
  void: [z.void(), form(v.void())],
  nan: [z.nan(), form(v.nan()), type("number.NaN")],
  symbol: [z.symbol(), form(v.symbol()), type("symbol")],
  map: [
    z.map(z.string(), z.string()),
    form(v.map(v.string(), v.string())),
    type("Map"),
  ],
  set: [z.set(z.string()), form(v.set(v.string())), type("Set")],
};

for (const [name, schemas] of Object.entries(WITHOUT_OBJECTS)) {
  Deno.test(`respond() sends an object for ${name} without its members`, async () => {
    using _log = new CapturedLog();
    const library = ["zod", "valibot", "arktype"];
    for (const [index, response] of schemas.entries()) {
      const sent = respond({ response }, 200, whole as never);
      assertEquals(await sent.json(), {}, library[index]);
    }
    const [member] = schemas as readonly z.ZodType[];
    const a = z.union([Id, member!]);
    for (const shape of [{ a }, { a: member! }, { a: member!.optional() }]) {
      const response = z.object(shape);
      const sent = respond({ response }, 200, { a: { hash: 1 } } as never);
      assertEquals(await sent.json(), { a: {} });
    }
  });
}

Deno.test("respond() sends a date for a string as ISO 8601", async () => {
  const at = new Date(0);
  for (
    const [response, value, sent] of [
      [z.string(), at, at.toJSON()],
      [z.iso.datetime(), at, at.toJSON()],
      [form(v.string()), at, at.toJSON()],
      [type("string"), at, at.toJSON()],
      [{ 200: content("text/csv", z.string()) }, at, at.toJSON()],
    ] as const
  ) {
    const { body, headers } = respond(
      { response },
      200 as never,
      value as never,
    );
    assertEquals(await new Response(body).text(), sent);
    assertMatch(headers.get("content-type")!, /^text\//);
  }
});

Deno.test("respond() sends a value of 5,000 levels", async () => {
  using _log = new CapturedLog();
  const Either: z.ZodType = z.lazy(() =>
    z.union([z.object({ kids: z.array(Either).optional() }), z.string()])
  );
  for (const schema of [Tree, Either]) {
    for (const extra of [{}, { hash: 1 }]) {
      let [value, sent] = [[], []] as unknown[][];
      for (let level = 0; level < 5_000; level++) {
        value = [{ id: 1, kids: value, ...extra }];
        sent = [{ ...schema === Tree && { id: 1 }, kids: sent }];
      }
      const response = respond({ response: schema }, 200, value![0] as never);
      assert(await response.text() === JSON.stringify(sent![0]));
    }
  }
});

Deno.test("respond() rejects a declared value without JSON", () => {
  const value: Record<string, unknown> = { id: 1, kids: [] };
  for (
    const [wrong, message] of [[[value], "circular"], [1n, "BigInt"]] as const
  ) {
    value.kids = wrong;
    assertThrows(
      () => respond({ response: Tree }, 200, value as never),
      TypeError,
      message,
    );
  }
});

const row = { id: 1, friends: [{ id: 2 }, { id: 3, "a/b": 1 }], hash: "x" };
const Friends = Id.extend({ friends: z.array(Id) });

/** A route with schemas of its own, which no other application shares. */
function routeOf(): TestModule {
  const schema = {
    get: { response: Friends },
    post: { response: { 201: z.union([Id, Friends]) } },
  };
  return {
    schema,
    GET: () => respond(schema.get, 200, row),
    POST: () => respond(schema.post, 201, row),
  };
}

/** The bodies of two requests for each method, and the log. */
async function served(
  options: Partial<FrameworkOptions>,
): Promise<{ bodies: unknown[]; log: readonly string[] }> {
  using log = new CapturedLog();
  const application = TestApplication.of({ "a/route.ts": routeOf() }, options);
  const bodies = [];
  for (const method of ["GET", "GET", "HEAD", "POST", "POST"]) {
    const response = await application.fetch("/api/a", { method });
    bodies.push(response.body && await response.json());
  }
  return { bodies, log: log.lines };
}

const less = { id: 1, friends: [{ id: 2 }, { id: 3 }] };

Deno.test("the first undeclared member of a method is logged", async () => {
  const { bodies, log } = await served({});
  assertEquals(bodies, [less, less, null, less, less]);
  assertEquals(log.length, 4);
  assertMatch(
    log[0]!,
    /POST \/api\/a may send the members of several branches/,
  );
  assertMatch(
    log[1]!,
    /GET \/api\/a \(.*a\/route\.ts\): the response with status 200 is sent without "#\/friends\/1\/a~1b", since only declared members are sent/,
  );
  // `HEAD` is a method of its own.
  assertMatch(
    log[2]!,
    /HEAD \/api\/a .* is sent without "#\/friends\/1\/a~1b"/,
  );
  assertMatch(
    log[3]!,
    /POST .* status 201 is sent without "#\/friends\/1\/a~1b"/,
  );
});

Deno.test("an undeclared member without JSON is logged", async () => {
  for (
    const [hash, validateResponses] of [
      [1n, false],
      [cyclic, false],
      [1n, "warn"],
      [cyclic, "warn"],
    ] as const
  ) {
    using log = new CapturedLog();
    const schema = { get: { response: z.object({ a: Id }) } };
    const a = new Model({ id: 1, hash });
    const GET = () => respond(schema.get, 200, { a } as never);
    const application = TestApplication.of({ "route.ts": { schema, GET } }, {
      validateResponses,
    });
    const response = await application.fetch("/api");
    assertEquals(await response.json(), { a: { id: 1 } });
    assertMatch(log.lines.join(), /is sent without "#\/a\/hash"/);
  }
});

Deno.test("sendUndeclared sends undeclared members", async () => {
  const { bodies, log } = await served({ sendUndeclared: true });
  assertEquals(bodies, [row, row, null, row, row]);
  assertEquals(log, []);
});

Deno.test("each of the applications that share schemas has its own option and its own log", async () => {
  using log = new CapturedLog();
  const module = routeOf();
  const sent = [];
  for (const sendUndeclared of [true, false, true, false]) {
    const application = TestApplication.of({ "a/route.ts": module }, {
      sendUndeclared,
    });
    sent.push(await (await application.fetch("/api/a")).json());
  }
  assertEquals(sent, [row, less, row, less]);
  const warnings = log.lines.filter((line) => /is sent without/.test(line));
  assertEquals(warnings.length, 2);
});

Deno.test("an application inside another one decides which members it sends", async () => {
  for (const isInner of [false, true]) {
    using log = new CapturedLog();
    const schema = { get: { response: Friends } };
    const inner = TestApplication.of({ "a/route.ts": routeOf() }, {
      sendUndeclared: isInner,
    });
    const GET = (request: Request) => inner.app.fetch(request);
    const outer = TestApplication.of({ "a/route.ts": { schema, GET } }, {
      sendUndeclared: !isInner,
    });
    const response = await outer.fetch("/api/a");
    assertEquals(await response.json(), isInner ? row : less);
    const warnings = log.lines.filter((line) => /is sent without/.test(line));
    assertEquals(warnings.length, isInner ? 0 : 1);
  }
});

Deno.test("the option sendUndeclared keeps the status, the headers and their changes", async () => {
  const schema = {
    get: {
      response: { 202: { body: Id, headers: z.object({ a: z.string() }) } },
    },
  };
  const whole = { id: 1, hash: "x" };
  for (const validateResponses of [false, true]) {
    const GET = async () => {
      const response = respond(schema.get, 202, whole, { headers: { a: "1" } });
      await Promise.resolve();
      response.headers.append("a", "2");
      return response;
    };
    using log = new CapturedLog();
    const application = TestApplication.of({ "route.ts": { schema, GET } }, {
      sendUndeclared: true,
      validateResponses,
    });
    const response = await application.fetch("/api");
    // The check reports the member, as it does of `Response.json()`.
    assertEquals(response.status, validateResponses ? 500 : 202);
    if (validateResponses) continue;
    assertEquals(await response.json(), whole);
    assertEquals(response.headers.get("a"), "1, 2");
    assertEquals(response.headers.get("content-type"), "application/json");
    assertEquals(log.lines, []);
  }
});

Deno.test("a copy of a response, and respond() in middleware, leave members out in silence", async () => {
  using log = new CapturedLog();
  const schema = { get: { response: Id } };
  const whole = { id: 1, hash: "x" };
  const contract = { response: { 200: Id } };
  const application = TestApplication.of({
    "a/route.ts": {
      schema,
      GET: () => respond(schema.get, 200, whole).clone(),
    },
    "b/middleware.ts": {
      contract,
      default: () => respond(contract, 200, whole),
    },
    "b/route.ts": { GET: () => new Response() },
  }, { sendUndeclared: true });
  for (const path of ["a", "b"]) {
    const response = await application.fetch(`/api/${path}`);
    assertEquals(await response.json(), { id: 1 });
  }
  assertEquals(log.lines, []);
});

Deno.test('validateResponses: "warn" reports undeclared members, and leaves them out', async () => {
  const { bodies, log } = await served({ validateResponses: "warn" });
  assertEquals(bodies, [less, less, null, less, less]);
  assertMatch(
    log[1]!,
    /status 200 does not fit its schema: at "#\/friends\/1\/a~1b" is undeclared/,
  );
  assertMatch(
    log.at(-1)!,
    /status 201 does not fit its schema: at .*; at "#\/hash" is undeclared/,
  );
});

Deno.test("validateResponses rejects undeclared members", async () => {
  const { bodies, log } = await served({ validateResponses: true });
  assertEquals(bodies.map((body) => (body as { status?: number })?.status), [
    500,
    500,
    undefined,
    500,
    500,
  ]);
  assertMatch(log[1]!, /friends\/1\/a~1b" is undeclared/);
});

Deno.test("respond() sends the declared members of the output of a codec", async () => {
  const both = { decode: () => ({ name: "n" }), encode: () => ({ id: 1 }) };
  const response = z.codec(Id, z.object({ name: z.string() }), both);
  for (const validateResponses of [false, true]) {
    using log = new CapturedLog();
    const schema = { get: { response, sendUndeclared: false } };
    const row = { name: "n", hash: 1 };
    const GET = () => respond(schema.get, 200, row);
    const application = TestApplication.of({ "route.ts": { schema, GET } }, {
      validateResponses,
    });
    assertEquals(await (await application.fetch("/api")).json(), { name: "n" });
    assertEquals(log.lines, []);
  }
  const sent = respond({ response }, 200, { id: 1, hash: 1 } as never);
  assertEquals(await sent.json(), { id: 1 });
});

Deno.test("respond() with a contract sends its declared members; Response.json() sends all", async () => {
  using log = new CapturedLog();
  const contract = { response: { 200: Id } };
  const application = TestApplication.of({
    "middleware.ts": { contract, default: (_request, next) => next() },
    "a/route.ts": { GET: () => Response.json(row) },
    "b/route.ts": { GET: () => respond(contract, 200, row) },
  });
  assertEquals(await (await application.fetch("/api/a")).json(), row);
  assertEquals(log.lines, []);
  assertEquals(await (await application.fetch("/api/b")).json(), { id: 1 });
  assertMatch(log.lines[0]!, /GET \/api\/b \(.*b\/route\.ts\)/);
});

/** Routes whose schemas have no JSON Schema, with the methods of each. */
function allSent(member: object = {}): Record<string, TestModule> {
  const GET = () => new Response();
  const plain = v.object({ id: v.number() });
  const mini = zm.object({ id: zm.int() });
  return {
    "a/route.ts": {
      schema: {
        get: { response: plain, ...member },
        post: { response: { 200: Id, 201: { body: mini } }, ...member },
        put: { response: Id, body: plain },
        patch: { response: { 200: content("text/csv", v.string()) } },
        // The handler of `GET` also responds to `HEAD`, which sends no members.
        head: { response: plain },
      },
      GET,
      POST: GET,
      PUT: GET,
      PATCH: GET,
    },
    "b/route.ts": {
      schema: { get: { events: { done: mini }, ...member } },
      GET,
    },
  };
}

Deno.test("startup warns once of methods whose schemas have no JSON Schema", async () => {
  using log = new CapturedLog();
  await TestApplication.of(allSent()).app.start();
  assertEquals(log.lines.length, 1);
  assertMatch(
    log.lines[0]!,
    /GET \/api\/a, POST \/api\/a, GET \/api\/b send undeclared members.*"sendUndeclared: true"/,
  );
  log.lines.length = 0;
  const options = { sendUndeclared: true };
  await TestApplication.of(allSent(), options).app.start();
  await TestApplication.of(allSent({ sendUndeclared: true })).app.start();
  const { "a/route.ts": lazy } = allSent();
  const application = TestApplication.of({
    "a/route.ts": () => Promise.resolve(lazy!),
  } as never);
  await application.app.start();
  assertEquals(log.lines, []);
  for (let turn = 0; turn < 2; turn++) await application.fetch("/api/a");
  assertEquals(log.lines.length, 1);
  assertMatch(
    log.lines[0]!,
    /GET \/api\/a, POST \/api\/a send undeclared members/,
  );
});

Deno.test("startup warns of a schema whose JSON Schema fails", async () => {
  using log = new CapturedLog();
  const response = z.object({ id, at: zm.iso.datetime() });
  const GET = () => new Response();
  const schema = { get: { response } };
  await TestApplication.of({ "a/route.ts": { schema, GET } }).app.start();
  assertMatch(log.lines.join(), /GET \/api\/a send undeclared members/);
});

Deno.test("the option sendUndeclared counts for schemas that a route used before", async () => {
  const schema = { post: { response: { 201: Id } } };
  const row = { id: 1, hash: 1 };
  respond(schema.post, 201, row as never);
  const handler = () => respond(schema.post, 201, row as never);
  const application = TestApplication.of({
    "route.ts": { schema, GET: handler, POST: handler },
  }, { sendUndeclared: true });
  const send = async (method: string) =>
    await (await application.fetch("/api", { method })).json();
  assertEquals(await send("POST"), row);
  // The schemas are not those of the method.
  assertEquals(await send("GET"), { id: 1 });
});

Deno.test("the option sendUndeclared does not count for responses of another application", async () => {
  const row = { id: 1, hash: 1 };
  const send = () => respond({ response: Id }, 200, row as never);
  const inner = TestApplication.of({
    "guarded/middleware.ts": { default: send },
    "guarded/route.ts": { GET: send },
    "route.ts": { GET: send },
  });
  const GET = (request: FrameworkRequest) =>
    inner.app.fetch(request, request.info);
  const schema = { get: { response: Id } };
  const outer = TestApplication.of({
    "guarded/route.ts": { schema, GET },
    "route.ts": { schema, GET },
  }, { sendUndeclared: true });
  for (const path of ["/api", "/api/guarded"]) {
    assertEquals(await (await outer.fetch(path)).json(), { id: 1 });
  }
});

Deno.test("a deep value of a recursive union is read in linear time", async () => {
  const Leaf = z.object({ leaf: z.string() });
  const Tree: z.ZodType = z.union([
    Leaf,
    z.object({
      get left() {
        return Tree;
      },
      get right() {
        return Tree;
      },
    }),
  ]);
  let value: unknown = { leaf: "x" };
  for (let depth = 0; depth < 400; depth++) {
    value = { left: value, right: { leaf: "x".repeat(500) } };
  }
  await assertCpuTime(2_000, async () => {
    const response = respond({ response: Tree }, 200, value as never);
    assertEquals(await response.json(), value);
  });
});

Deno.test("a deep value of a union with its constants last is read in linear time", async () => {
  const branch = (type: string) =>
    z.object({ blocks: z.array(z.lazy(() => Block)), type: z.literal(type) });
  const Block: z.ZodType = z.union([branch("a"), branch("b"), branch("c")]);
  let value: unknown = { blocks: [], type: "c" };
  for (let depth = 0; depth < 15; depth++) {
    value = { blocks: [value], type: "c" };
  }
  await assertCpuTime(2_000, async () => {
    const response = respond({ response: Block }, 200, value as never);
    assertEquals(await response.json(), value);
  });
});

Deno.test("an undeclared cycle leaves the dates of a branch in the response", async () => {
  using _log = new CapturedLog();
  const response = z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("a"), at: z.iso.datetime() }),
    z.object({ kind: z.literal("b"), id: z.number() }),
  ]);
  const value: Record<string, unknown> = { kind: "a", at: new Date(0) };
  value.self = value;
  assertEquals(await respond({ response }, 200, value as never).json(), {
    kind: "a",
    at: new Date(0).toJSON(),
  });
});

Deno.test("a schema of a response of an older zod prevents startup", async () => {
  const { "~standard": standard } = v.object({ id: v.number() });
  const old = { "~standard": { ...standard, vendor: "zod" }, optional() {} };
  const schema = { get: { response: { 201: { body: old } } } };
  const GET = () => new Response();
  const { app } = TestApplication.of({ "a/route.ts": { schema, GET } });
  const error = await assertRejects(() => app.start(), Error);
  assertMatch(
    error.message,
    /"a\/route\.ts": schema\.get\.response\[201\] is a schema of a zod before 4\.2/,
  );
});

Deno.test("a method may leave members out on purpose, or send them", async () => {
  using log = new CapturedLog();
  const route = (member: object): TestModule => {
    const schema = { get: { response: Id, ...member } };
    const whole = { id: 1, hash: "x" };
    return { schema, GET: () => respond(schema.get, 200, whole) };
  };
  const files = () => ({
    "a/route.ts": route({ sendUndeclared: false }),
    "b/route.ts": route({ sendUndeclared: true }),
  });
  for (const validateResponses of [false, "warn", true] as const) {
    for (const sendUndeclared of [false, true]) {
      const application = TestApplication.of(files(), {
        validateResponses,
        sendUndeclared,
      });
      const read = async (path: string) => {
        const response = await application.fetch(`/api/${path}`);
        return await response.json();
      };
      const less = { id: 1 };
      assertEquals(await read("a"), less);
      if (validateResponses !== true) {
        assertEquals(await read("b"), { id: 1, hash: "x" });
      }
      assertEquals(log.lines.filter((line) => /api\/a /.test(line)), []);
    }
  }
  log.lines.length = 0;
  const outside = { response: Id, sendUndeclared: false };
  respond(outside, 200, { id: 1, hash: "x" } as never);
  assertEquals(log.lines, []);
});

const Kind = (kind: string) => z.object({ kind: z.literal(kind) });

/** Schemas, and whether no constant distinguishes the objects of their unions. */
const UNIONS: Readonly<Record<string, readonly [StandardSchemaV1, boolean]>> = {
  "public and private forms": [z.union([Id, Named]), true],
  "a union of ArkType": [type({ id: "number", a: "1" }).or({ b: "1" }), true],
  "a union inside": [z.object({ a: z.array(z.union([Id, Named])) }), true],
  "a record": [z.union([Id, z.record(z.string(), z.number())]), true],
  "a tag in one branch only": [
    z.union([Kind("a").extend({ id }), Named]),
    true,
  ],
  "branches that share a tag": [
    z.union([Kind("a").extend({ id }), Kind("a").extend({ name: z.string() })]),
    true,
  ],
  "tags": [
    z.discriminatedUnion("kind", [Kind("a").extend({ id }), Kind("b")]),
    false,
  ],
  "a tag below a member": [
    z.union([z.object({ a: Kind("a"), id }), z.object({ a: Kind("b") })]),
    false,
  ],
  "null against an object": [
    z.union([z.object({ a: z.null(), id }), z.object({ a: Id })]),
    false,
  ],
  "the same names": [
    z.union([z.object({ id: z.string() }), z.object({ id: z.int() })]),
    false,
  ],
  "one object": [z.union([z.string(), Id, z.array(Id)]), false],
  "a recursive object": [Tree, false],
};

Deno.test("startup names unions without a constant that distinguishes their objects", async (test) => {
  for (const [name, [response, isNamed]] of Object.entries(UNIONS)) {
    await test.step(name, async () => {
      using log = new CapturedLog();
      const files = (get: object) => ({
        "a/route.ts": { schema: { get }, GET: () => new Response() },
      });
      await TestApplication.of(files({ response })).app.start();
      assertEquals(log.lines.length, isNamed ? 1 : 0);
      assertMatch(log.lines.join(), isNamed ? /GET \/api\/a may send/ : /^$/);
      log.lines.length = 0;
      const all = { response, sendUndeclared: true };
      await TestApplication.of(files(all)).app.start();
      assertEquals(log.lines, []);
    });
  }
});
