import { isObject } from "../../core/common/values.ts";
import { fitsForm } from "../../core/schema/json_issues.ts";
import {
  type FlatSchema,
  flatten,
  MAX_REFERENCES,
  objectMembers,
  typesOf,
} from "../flat_schema.ts";
import type { JsonSchema } from "../../core/schema/json_schema.ts";
import { Draw } from "./draw.ts";
import {
  type Edit,
  inItem,
  inMember,
  inTurn,
  setting,
  WRONG,
} from "./edits.ts";
import { fileValues } from "./files.ts";
import type { LeafValues } from "./formats.ts";
import { numberValues } from "./numbers.ts";
import { stringValues } from "./strings.ts";

/**
 * `edges` are changes to a limit, and to values that programs often mishandle; the schema
 * itself decides which of these values are valid. `beyond` are changes to values beyond
 * the limits, hardly any of which is valid.
 */
type Kind = "edges" | "beyond";

/** The values of a JSON Schema. */
export interface Values {
  /** An ordinary value, with all optional members; `undefined` if no value is found. */
  plain(draw: Draw): unknown;
  /** Changes to ordinary values, most valuable first; `counter` limits their number. */
  edits(kind: Kind, counter?: Draw["counter"]): readonly Edit[];
}

export interface ValueOptions {
  /** Known values, such as identifiers, by the name of a member: `bookId`. */
  readonly known?: ReadonlyMap<string, readonly unknown[]>;
  /** The member that identifies what a request creates: its known values are taken. */
  readonly created?: string | undefined;
  /** The document that contains the targets of references; by default, the schema. */
  readonly root?: unknown;
  /** The name of the member or parameter. */
  readonly name?: string;
}

interface Context extends ValueOptions {
  /** The references that led to the schema. */
  readonly followed: ReadonlySet<string>;
}

/** The number of values after which a value omits optional members. */
const MANY_VALUES = 300;

/** The maximum number of values to try, and of values in a value. */
const MAX_VALUES = 3_000;

/** The largest number of items of a list. */
const MAX_ITEMS = 1_000;

/** The number of random values among several ones. */
const RANDOM = 20;

/** Names of members that programs often mishandle. */
const NAMES = ["__proto__", "constructor", "🙂"];

/**
 * The values of a JSON Schema. Keywords such as `not` are skipped, since the schema itself
 * validates each value.
 */
export function valuesOf(schema: unknown, options: ValueOptions = {}): Values {
  return place(schema, { root: schema, ...options, followed: new Set() });
}

/** A random value of a schema; each call returns the same value. */
export function sampleOf(values: Values): unknown {
  return values.plain(new Draw(1));
}

/** The best values of a schema: with as few members as possible, and with all. */
export function bestOf(values: Values): unknown[] {
  return [true, false]
    .map((isShort) => values.plain(new Draw(undefined, { isShort })))
    .filter((value) => value !== undefined);
}

/** Values of each kind: the best, those at the edges, and random ones. */
export function severalOf(values: Values): unknown[] {
  const best = bestOf(values);
  return [
    ...best,
    ...values.edits("edges").map((edit) => edit(best.at(-1))),
    ...Array(RANDOM).keys().map((seed) => values.plain(new Draw(seed))),
  ].filter((value) => value !== undefined);
}

function place(given: unknown, around: Context): Values {
  let found: Values | undefined;
  // A schema may contain itself, so it is read only if a value needs it.
  const values = () => found ??= read(given, around);
  return {
    plain: (draw) =>
      ++draw.counter.values > MAX_VALUES ? undefined : values().plain(draw),
    edits: (kind, counter = { values: 0 }) =>
      ++counter.values > MAX_VALUES ? [] : values().edits(kind, counter),
  };
}

function read(given: unknown, around: Context): Values {
  const { root, created, name = "" } = around;
  const flat = flatten(given, root, around.followed);
  if (flat === undefined) return { plain: () => undefined, edits: () => [] };
  const made = structureOf(flat, { ...around, followed: flat.followed });
  const { examples, example, default: fallback } = flat.schema;
  const stated = [...Array.isArray(examples) ? examples : [], example, fallback]
    .filter((value) => value !== undefined);
  // The name of the items of `memberIds` is `memberId`.
  const known = (around.known?.get(name) ?? around.known?.get(`${name}s`) ?? [])
    .filter((value) => fitsForm(given, value, root as JsonSchema));
  const isUsed = known.length > 0 && name !== created;
  return {
    plain: (draw) =>
      isUsed
        ? draw.from(known)
        : draw.isBest && stated.length > 0
        ? stated[0]
        : made.plain(draw),
    edits: (kind, counter) =>
      kind === "beyond" ? made.edits(kind, counter) : [
        ...setting([...stated, ...isUsed ? [sampleOf(made)] : known]),
        ...made.edits(kind, counter),
      ],
  };
}

function structureOf(
  { schema, branches }: FlatSchema,
  context: Context,
): Values {
  if (branches !== undefined) {
    return union(branches.map((branch) => place(branch, context)));
  }
  if (schema.const !== undefined) return listed([schema.const]);
  if (Array.isArray(schema.enum)) return listed(schema.enum);
  const makers = typesOf(schema).map((type) => MAKERS[type] ?? objectValues);
  return union(makers.map((make) => make(schema, context)));
}

function leaf(values: LeafValues): Values {
  return {
    plain: (draw) => values.plain(draw),
    edits: (kind) =>
      setting(values[kind]).concat(kind === "beyond" ? WRONG : []),
  };
}

function listed(values: readonly unknown[]): Values {
  const plain = (draw: Draw) => firstOf(rotated(values, draw));
  return leaf({ plain, edges: values, beyond: [] });
}

/** The makers of values by type. */
const MAKERS: Readonly<
  Record<string, (schema: JsonSchema, context: Context) => Values>
> = {
  string: textValues,
  integer: (schema) => leaf(numberValues({ ...schema, type: "integer" })),
  number: (schema) => leaf(numberValues({ ...schema, type: "number" })),
  boolean: () => listed([true, false]),
  null: () => listed([null]),
  array: listValues,
};

/** Strings and files; strings with a `contentSchema` contain JSON. */
function textValues(schema: JsonSchema, context: Context): Values {
  if (schema.format === "binary") return leaf(fileValues(schema));
  const strings = leaf(stringValues(schema, context.name));
  if (!isObject(schema.contentSchema)) return strings;
  const content = place(schema.contentSchema, context);
  return { ...strings, plain: (draw) => JSON.stringify(content.plain(draw)) };
}

/** The values of any of the possible schemas; of a schema without a type, any values. */
function union(all: readonly Values[]): Values {
  if (all.length === 1) return all[0]!;
  if (all.length === 0) {
    const plain = (draw: Draw) => draw.from([{}, "x", 1.5, true, [], [{}]]);
    return leaf({ plain, edges: [], beyond: [] });
  }
  return {
    plain: (draw) =>
      firstOf(rotated(all, draw).values().map((each) => each.plain(draw))),
    edits(kind, counter) {
      // Programs often mishandle `null`, so its edge comes first.
      const possible = all
        .map((each) => ({ each, sample: sampleOf(each) }))
        .filter(({ sample }) => sample !== undefined)
        .sort((a, b) => Number(b.sample === null) - Number(a.sample === null));
      const isSwitched = kind === "edges" && possible.length > 1;
      // The first edge of a branch switches to the branch.
      return inTurn(possible.map(({ each, sample }) => [
        ...isSwitched ? setting([sample]) : [],
        ...each.edits(kind, counter),
      ]));
    },
  };
}

/** The choices, beginning with a random one. */
function rotated<Choice>(choices: readonly Choice[], draw: Draw): Choice[] {
  const first = choices.length === 0 ? 0 : draw.pick(choices.length);
  return [...choices.slice(first), ...choices.slice(0, first)];
}

/** The first value other than `undefined` and `null`, or otherwise a `null`. */
function firstOf(values: Iterable<unknown>): unknown {
  let found: unknown;
  for (const value of values) {
    if (value !== null && value !== undefined) return value;
    if (value === null) found = null;
  }
  return found;
}

/** Whether to omit optional members and items. */
function isCrowded(draw: Draw, { followed }: Context): boolean {
  return draw.isShort || draw.counter.values > MANY_VALUES ||
    followed.size > MAX_REFERENCES;
}

/** A list: the items of a tuple, then others. */
interface List {
  readonly prefix: readonly Values[];
  readonly item: Values;
  readonly isUnique: boolean;
}

/** A list of a length, or a shorter one if no other items are possible. */
function listOf(
  { prefix, item, isUnique }: List,
  { length, draw }: { readonly length: number; readonly draw: Draw },
): unknown[] | undefined {
  const size = Math.max(0, Math.min(length, MAX_ITEMS) - prefix.length);
  const make = (_: unknown, rank: number) =>
    item.plain(isUnique ? draw.ranked(rank) : draw);
  const others = Array.from({ length: size }, make)
    .filter((value) => value !== undefined);
  const list = [...prefix.map((each) => each.plain(draw)), ...others];
  const distinct = new Set(list.map((value) => JSON.stringify(value)));
  const isRepeated = isUnique && distinct.size < list.length;
  return isRepeated || list.includes(undefined) ? undefined : list;
}

/** Repeats the items of a list, since programs often mishandle duplicates. */
function twice(most: number): Edit {
  return (list) =>
    Array.isArray(list) && 2 * list.length <= most ? [...list, ...list] : list;
}

function listValues(schema: JsonSchema, context: Context): Values {
  const { prefixItems, items, minItems = 0, maxItems, uniqueItems } = schema;
  const prefix = (Array.isArray(prefixItems) ? prefixItems : [])
    .map((item) => place(item, context));
  // `book` for the items of `books`.
  const name = context.name?.replace(/([^s])s$/, "$1") ?? "";
  const item = place(items ?? true, { ...context, name });
  const list = { prefix, item, isUnique: uniqueItems === true };
  /** Whether a list has no other items than those of a tuple. */
  const isClosed = (items ?? prefix.length === 0) === false;
  const least = Math.max(Number(minItems), prefix.length);
  const most = Number(maxItems ?? MAX_ITEMS);
  return {
    plain(draw) {
      const isEmpty = isClosed || items === undefined && draw.isBest;
      const wanted = isEmpty || isCrowded(draw, context) ? 0 : 1;
      const some = Math.min(Math.max(least, prefix.length + wanted), most);
      const made = listOf(list, { length: some, draw });
      return (made?.length ?? -1) < least ? undefined : made;
    },
    edits(kind, counter) {
      const isEdge = kind === "edges";
      const isRepeated = list.isUnique !== isEdge && !isClosed;
      const lengths = isEdge ? [least, most] : [least - 1, most + 1];
      if (maxItems === undefined) lengths.pop();
      const lists = isClosed ? [] : lengths
        .map((length) => listOf(list, { length, draw: new Draw(1) }))
        .filter((made, index) => made?.length === lengths[index]);
      return inTurn([
        [
          ...setting(lists),
          ...isRepeated ? [twice(isEdge ? most : MAX_ITEMS)] : [],
          ...isEdge ? [] : WRONG,
        ],
        ...[...prefix, ...isClosed ? [] : [item]].map((each, index) =>
          each.edits(kind, counter).map((edit) => inItem(index, edit))
        ),
      ]);
    },
  };
}

function objectValues(schema: JsonSchema, context: Context): Values {
  const members = membersOf(schema, context);
  const needed = members.filter(({ isNeeded }) => isNeeded);
  const isOpen = isObject(schema.additionalProperties);
  const odd = members.slice(-1).flatMap(({ values }) =>
    (isOpen ? NAMES : []).map((name) => inMember(name, () => sampleOf(values)))
  );
  return {
    plain(draw) {
      const entries: [string, unknown][] = [];
      for (const { name, values, isNeeded, isExtra } of members) {
        const isLeft = isCrowded(draw, context) || draw.isBest && isExtra;
        if (isLeft && !isNeeded) continue;
        const value = values.plain(draw);
        if (value !== undefined) entries.push([name, value]);
        else if (isNeeded) return undefined;
      }
      return Object.fromEntries(entries);
    },
    edits(kind, counter) {
      const isEdge = kind === "edges";
      const isDeep = context.followed.size > MAX_REFERENCES;
      const inside = (isDeep ? needed : members)
        .map(({ name, values, isNeeded }) =>
          [
            // The edge of an optional member is its absence.
            ...isNeeded === isEdge ? [] : [() => undefined],
            ...values.edits(kind, counter),
          ].map((edit) => inMember(name, edit))
        );
      const isFull = needed.length === members.length;
      return [
        ...isEdge && !isFull ? [only(needed)] : [],
        ...inTurn([...inside, isEdge ? odd : UNKNOWN]),
      ];
    },
  };
}

/** Omits all other members. */
function only(members: readonly Member[]): Edit {
  return (object) => {
    const kept = members.map(({ name }) => [name, Object(object)[name]]);
    return isObject(object) ? Object.fromEntries(kept) : object;
  };
}

/** Changes to an object that it may reject. */
const UNKNOWN = [inMember("notintheschema", () => "x"), ...WRONG];

interface Member {
  readonly name: string;
  readonly values: Values;
  readonly isNeeded: boolean;
  /** Whether the schema does not list the name, but other ones. */
  readonly isExtra: boolean;
}

/** The listed members, and others, of which an object may need some. */
function membersOf(schema: JsonSchema, context: Context): Member[] {
  const { minProperties, propertyNames = {} } = schema;
  const { additionalProperties: others = true } = schema;
  const { members, needed } = objectMembers(schema);
  const listed = members.size;
  const least = Math.min(Number(minProperties ?? 0), MAX_ITEMS);
  const size = Math.max(least, listed + Number(isObject(others)));
  const key = place(propertyNames, { ...context, name: "key" })
    .plain(new Draw());
  const other = typeof key === "string" ? key : "key";
  for (let count = 0; members.size < size; count++) {
    members.set(count === 0 ? other : other + count, others);
  }
  const names = [...new Set([...needed, ...members.keys()])];
  return members.entries().map(([name, given], index) => ({
    name,
    values: place(given, { ...context, name }),
    isNeeded: needed.has(name) || names.indexOf(name) < least,
    isExtra: index >= listed && listed > 0,
  })).toArray();
}
