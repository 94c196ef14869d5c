/**
 * Fifty kinds of schemas of each library, as the text of a module that exports them by
 * name.
 */
export const SCHEMA_KINDS: Readonly<Record<string, string>> = {
  zod: `import { z } from "npm:zod@^4.2.0";
const Tree = z.object({ name: z.string(), get parts() { return z.array(Tree); } });
const Named = z.object({ id: z.int(), get next() { return Named.nullable(); } }).meta({ id: "Named" });
const Value = z.lazy(() => z.union([z.string(), z.array(Value), z.record(z.string(), Value)]));
const Expression = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("number"), value: z.number() }),
  z.object({ kind: z.literal("sum"), get left() { return Expression; }, get right() { return Expression; } }),
]).meta({ id: "Expression" });
const Left = z.object({ a: z.string(), get right() { return Right.optional(); } });
const Right = z.object({ b: z.string(), get left() { return Left.optional(); } });
const Pair = z.tuple([z.string(), z.lazy(() => Pair).nullable()]);
const Menu = z.record(z.string(), z.lazy(() => Menu));
const Dotted = z.union([z.string(), z.array(z.lazy(() => Dotted))]).meta({ id: "my.node-2" });
const Money = z.object({ amount: z.int(), currency: z.string() }).meta({ id: "Money" });
export const kinds = {
  string: z.string(), email: z.email(), uuid: z.uuid(), url: z.url(), datetime: z.iso.datetime(),
  template: z.templateLiteral(["a-", z.number()]), regex: z.string().regex(/^a+$/),
  number: z.number(), int: z.int(), positive: z.number().positive().multipleOf(5),
  boolean: z.boolean(), null: z.null(), literal: z.literal("a"), literals: z.literal(["a", 1, true]),
  enum: z.enum(["a", "b"]), nativeEnum: z.enum({ A: 1, B: "b" }),
  array: z.array(z.string()), nonempty: z.array(z.int()).nonempty(), nested: z.array(z.array(z.array(z.boolean()))),
  tuple: z.tuple([z.string(), z.number()]), tupleRest: z.tuple([z.string()], z.number()),
  object: z.object({ a: z.string(), "b-c": z.number(), 1: z.boolean() }), strict: z.strictObject({ a: z.string() }),
  loose: z.looseObject({ a: z.string() }), catchall: z.object({ a: z.string() }).catchall(z.number()), empty: z.object({}),
  optional: z.object({ a: z.string().optional(), b: z.string().nullish(), c: z.string().default("c") }),
  record: z.record(z.string(), z.number()), recordEnum: z.record(z.enum(["a", "b"]), z.number()),
  partialRecord: z.partialRecord(z.enum(["a", "b"]), z.number()),
  union: z.union([z.string(), z.object({ a: z.int() })]),
  discriminated: z.discriminatedUnion("type", [z.object({ type: z.literal("a"), n: z.int() }), z.object({ type: z.literal("b") })]),
  intersection: z.intersection(z.object({ a: z.string() }), z.object({ b: z.string() })),
  unions: z.intersection(z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]), z.object({ c: z.string() })),
  nullable: z.object({ a: z.int() }).nullable(), any: z.any(), unknown: z.unknown(), never: z.object({ a: z.never().optional() }),
  date: z.object({ at: z.date() }), file: z.object({ file: z.file() }), coerced: z.coerce.number(),
  transform: z.string().transform((text) => text.length).pipe(z.int()), refined: z.string().refine((text) => text !== ""),
  brand: z.string().brand("Id"), readonly: z.array(z.string()).readonly(), codec: z.object({ a: z.stringbool() }),
  json: z.json(), jsonMember: z.object({ data: z.json(), list: z.array(z.json()) }),
  tree: Tree, named: Named, dotted: Dotted, dotteds: z.object({ a: Dotted }), namedMembers: z.object({ a: Named, b: z.array(Named) }), value: Value, expression: Expression,
  fileId: z.object({ file: z.file(), list: z.array(z.string()) }).meta({ id: "File" }), classId: z.object({ a: z.string() }).meta({ id: "class" }),
  firstId: z.object({ a: z.string() }).meta({ id: "1st" }), upperId: z.object({ b: z.string() }).meta({ id: "Class" }),
  mutual: Left, pair: Pair, menu: Menu, money: Money, moneys: z.object({ a: Money, b: Money.nullable(), c: z.array(Money) }),
  lazy: z.lazy(() => z.string()), described: z.string().meta({ description: "Ends */ here", title: "T", examples: ["x"], deprecated: true }),
};`,
  valibot: `import * as v from "npm:valibot@^1.2.0";
import { toStandardJsonSchema as form } from "npm:@valibot/to-json-schema@^1.8.0";
const Tree = v.object({ name: v.string(), parts: v.array(v.lazy(() => Tree)) });
const Value = v.union([v.string(), v.number(), v.array(v.lazy(() => Value)), v.record(v.string(), v.lazy(() => Value))]);
const Expression = v.variant("kind", [
  v.object({ kind: v.literal("number"), value: v.number() }),
  v.object({ kind: v.literal("sum"), left: v.lazy(() => Expression), right: v.lazy(() => Expression) }),
]);
const Left = v.object({ a: v.string(), right: v.optional(v.lazy(() => Right)) });
const Right = v.object({ b: v.string(), left: v.optional(v.lazy(() => Left)) });
const Pair = v.tuple([v.string(), v.nullable(v.lazy(() => Pair))]);
const Menu = v.record(v.string(), v.lazy(() => Menu));
const all = {
  string: v.string(), email: v.pipe(v.string(), v.email()), uuid: v.pipe(v.string(), v.uuid()), url: v.pipe(v.string(), v.url()),
  timestamp: v.pipe(v.string(), v.isoTimestamp()), regex: v.pipe(v.string(), v.regex(/^a+$/)), length: v.pipe(v.string(), v.minLength(1), v.maxLength(9)),
  number: v.number(), integer: v.pipe(v.number(), v.integer()), range: v.pipe(v.number(), v.minValue(1), v.maxValue(5)),
  boolean: v.boolean(), null: v.null(), literal: v.literal("a"), numberLiteral: v.literal(7), picklist: v.picklist(["a", "b"]), numbers: v.picklist([1, 2]),
  enum: v.enum({ A: "a", B: "b" }), array: v.array(v.string()), bounded: v.pipe(v.array(v.number()), v.minLength(1), v.maxLength(3)),
  nested: v.array(v.array(v.array(v.boolean()))), tuple: v.tuple([v.string(), v.number()]), strictTuple: v.strictTuple([v.string()]),
  looseTuple: v.looseTuple([v.string()]), tupleRest: v.tupleWithRest([v.string()], v.number()),
  object: v.object({ a: v.string(), "b-c": v.number(), 1: v.boolean() }), strictObject: v.strictObject({ a: v.string() }),
  looseObject: v.looseObject({ a: v.string() }), objectRest: v.objectWithRest({ a: v.string() }, v.number()), empty: v.object({}),
  optional: v.object({ a: v.optional(v.string()), b: v.nullish(v.string()), c: v.optional(v.string(), "c") }),
  exactOptional: v.object({ a: v.exactOptional(v.string()) }), partial: v.partial(v.object({ a: v.string(), b: v.number() })),
  pick: v.pick(v.object({ a: v.string(), b: v.number() }), ["a"]), record: v.record(v.string(), v.number()),
  recordPicklist: v.record(v.picklist(["a", "b"]), v.number()), union: v.union([v.string(), v.object({ a: v.number() })]),
  variant: v.variant("type", [v.object({ type: v.literal("a"), n: v.number() }), v.object({ type: v.literal("b") })]),
  intersect: v.intersect([v.object({ a: v.string() }), v.object({ b: v.string() })]),
  nullable: v.nullable(v.object({ a: v.number() })), any: v.any(), unknown: v.unknown(), date: v.object({ at: v.date() }),
  file: v.object({ file: v.file() }), brand: v.pipe(v.string(), v.brand("Id")), readonly: v.pipe(v.array(v.string()), v.readonly()),
  described: v.pipe(v.string(), v.title("T"), v.description("Ends */ here")), lazy: v.lazy(() => v.string()),
  tree: Tree, value: Value, expression: Expression, mutual: Left, pair: Pair, menu: Menu, members: v.object({ a: Tree, b: Value }),
};
export const kinds = Object.fromEntries(Object.entries(all).map(([name, schema]) => [name, form(schema)]));`,
  arktype: `import { scope, type } from "npm:arktype@^2.2.9";
const types = scope({
  tree: { name: "string", parts: "tree[]" },
  value: "string | number | value[] | members",
  members: { "[string]": "value" },
  expression: "constant | sum",
  constant: { kind: "'number'", value: "number" },
  sum: { kind: "'sum'", left: "expression", right: "expression" },
  left: { a: "string", "right?": "right" },
  right: { b: "string", "left?": "left" },
  pair: ["string", "pair | null"],
  menu: { "[string]": "menu" },
  chain: { id: "number", next: "chain | null" },
}).export();
export const kinds = {
  string: type("string"), email: type("string.email"), uuid: type("string.uuid"), url: type("string.url"), date8601: type("string.date.iso"),
  regex: type(/^a+$/), length: type("1 <= string <= 9"), nonempty: type("string > 0"),
  number: type("number"), integer: type("number.integer"), range: type("1 <= number <= 5"), divisible: type("number % 5"),
  boolean: type("boolean"), true: type("true"), null: type("null"), literal: type("'a'"), numberLiteral: type("7"), unit: type.unit("a"),
  literals: type("'a' | 'b' | 1 | true"), enumerated: type.enumerated("a", "b"), array: type("string[]"), bounded: type("1 <= number[] <= 3"),
  nested: type("boolean[][][]"), tuple: type(["string", "number"]), optionalTuple: type(["string", "number?"]), tupleRest: type(["string", "...", "number[]"]),
  object: type({ a: "string", "b-c": "number", 1: "boolean" }), strict: type({ "+": "reject", a: "string" }), pruned: type({ "+": "delete", a: "string" }),
  index: type({ a: "string", "[string]": "unknown" }), empty: type({}), optional: type({ "a?": "string", "b?": "string | null" }),
  defaults: type({ a: "string = 'a'" }), record: type({ "[string]": "number" }), generic: type("Record<string, number>"),
  partial: type({ a: "string", b: "number" }).partial(), pick: type({ a: "string", b: "number" }).pick("a"), omit: type({ a: "string", b: "number" }).omit("a"),
  union: type("string | number[]"), objects: type({ a: "number" }).or({ b: "'b'" }), discriminated: type({ type: "'a'", n: "number" }).or({ type: "'b'" }),
  intersection: type({ a: "string" }).and({ b: "string" }), merged: type({ a: "string" }).merge({ b: "number" }),
  nullable: type({ a: "number" }).or("null"), unknown: type("unknown"), anyObject: type("object"), date: type({ at: "Date" }),
  branded: type("string#id"), described: type("string").describe("Ends */ here"), parsed: type("string.numeric.parse"), json: type("object.json"),
  tree: types.tree, value: types.value, expression: types.expression, mutual: types.left, pair: types.pair, menu: types.menu, chain: types.chain,
  members: type({ a: types.tree, b: types.value, c: types.chain }),
};`,
};
