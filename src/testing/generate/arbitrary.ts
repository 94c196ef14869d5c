import fc from "fast-check";
import { isObject } from "../../core/common/values.ts";
import {
  flatten,
  MAX_REFERENCES,
  objectMembers,
  typesOf,
} from "../../shared/flat_schema.ts";
import type { JsonSchema } from "../../shared/types.ts";
import { fitsForm } from "../../core/schema/json_issues.ts";
import { MAX_LENGTH } from "../../shared/values/strings.ts";
import { type Leaves, numberLeaves, stringLeaves } from "./leaves.ts";

type Arbitrary = fc.Arbitrary<unknown>;

/** Changes a value at one place; returns the value itself if the place is missing. */
export type Edit = (value: unknown) => unknown;

/** Ordinary values of a schema, and changes to them, most valuable first. */
export interface Values {
  /** Ordinary values, with all optional members. */
  readonly plain: Arbitrary;
  /**
   * Changes to a limit, and to values that programs often mishandle. The schema itself
   * decides which of these values are valid.
   */
  readonly edges: readonly Edit[];
  /** Changes to values beyond the limits; hardly any of them is valid. */
  readonly beyond: readonly Edit[];
}

export interface ArbitraryOptions {
  /** Known values, such as identifiers, by the name of a member: `bookId`. */
  readonly known: ReadonlyMap<string, readonly unknown[]>;
  /** The member that identifies what a request creates: its known values are taken. */
  readonly created?: string | undefined;
}

interface Context extends ArbitraryOptions {
  /** The document that contains the targets of references. */
  readonly root: unknown;
  /** The references that led to the schema. */
  readonly followed: ReadonlySet<string>;
}

const MAX_ITEMS = 1_000;

/** Changes to values that most schemas reject. */
export const WRONG: readonly Edit[] = [
  ...[null, "x", "", -1, 1.5, "99999999999999999999", true, [], {}],
  // Longer than all generated strings.
  "x".repeat(MAX_LENGTH + 1_000),
].map((value) => () => value);

/** Names of members that programs often mishandle. */
const NAMES = ["__proto__", "constructor", "🙂"];

const NULL = fc.constant(null);

/** Ordinary values with up to three changes. */
export function changed<Value>({ plain, edges }: {
  readonly plain: fc.Arbitrary<Value>;
  readonly edges: readonly ((value: Value) => Value)[];
}): fc.Arbitrary<Value> {
  if (edges.length === 0) return plain;
  const edits = fc.array(fc.constantFrom(...edges), { maxLength: 3 });
  return fc.tuple(plain, edits).map(([value, edits]) =>
    edits.reduce((value, edit) => edit(value), value)
  );
}

/**
 * The values of a JSON Schema; `undefined` if none fits. Keywords such as `not` are
 * skipped, since the schema itself validates each value.
 */
export function valuesOf(
  schema: JsonSchema,
  options: ArbitraryOptions,
): Values | undefined {
  return build(schema, { ...options, root: schema, followed: new Set() });
}

function build(
  given: unknown,
  around: Context,
  name = "",
): Values | undefined {
  const flat = flatten(given, around.root, around.followed);
  if (flat === undefined) return undefined;
  const { schema, branches, followed } = flat;
  const context = { ...around, followed };
  const types = typesOf(schema);
  const made = branches !== undefined
    ? union(branches.map((branch) => build(branch, context, name)))
    : schema.const !== undefined
    ? listed([schema.const])
    : Array.isArray(schema.enum)
    ? listed(schema.enum)
    : union(
      (types.length > 0 ? types : ["any"])
        .map((type) => typed(type, schema, context, name)),
    );
  if (made === undefined) return undefined;
  const { examples, default: fallback } = schema;
  const stated = Array.isArray(examples) ? [...examples] : [];
  if (fallback !== undefined) stated.push(fallback);
  const root = around.root as JsonSchema;
  const known = (context.known.get(name) ?? [])
    .filter((value) => fitsForm(given, value, root));
  const isCreated = name === context.created;
  const rare = known.length > 0 ? samplesOf(made.plain, 1) : [];
  return {
    plain: known.length > 0 && !isCreated
      ? fc.constantFrom(...known)
      : made.plain,
    edges: [
      ...[...stated, ...isCreated ? known : rare]
        .map((value) => () => value),
      ...made.edges,
    ],
    beyond: made.beyond,
  };
}

/** The values of a schema without structure, and changes to its limits. */
function leaf({ plain, edges, wrong }: Leaves): Values {
  return {
    plain,
    edges: edges.map((value) => () => value),
    beyond: [...wrong.map((value) => () => value), ...WRONG],
  };
}

function listed(values: readonly unknown[]): Values | undefined {
  if (values.length === 0) return undefined;
  const plain = values[0] === null ? NULL : fc.constantFrom(...values);
  return leaf({ plain, edges: values, wrong: [] });
}

function typed(
  type: string,
  schema: JsonSchema,
  context: Context,
  name: string,
): Values | undefined {
  switch (type) {
    case "string":
      return leaf(stringLeaves(schema));
    case "integer":
    case "number": {
      const numbers = numberLeaves({ ...schema, type });
      return numbers && leaf(numbers);
    }
    case "boolean":
      return listed([true, false]);
    case "null":
      return listed([null]);
    case "array":
      return listValues(schema, context, name);
    case "object":
      return objectValues(schema, context);
    default:
      return { plain: fc.jsonValue({ maxDepth: 1 }), edges: [], beyond: WRONG };
  }
}

/** Values of any of the possible schemas; `undefined` if none is possible. */
function union(all: readonly (Values | undefined)[]): Values | undefined {
  // Programs often mishandle `null`, so its edge comes first.
  const possible = all.filter((each) => each !== undefined)
    .sort((a, b) => Number(b.plain === NULL) - Number(a.plain === NULL));
  if (possible.length < 2) return possible[0];
  const plain = possible.map(({ plain }) => plain)
    .filter((each) => each !== NULL);
  return {
    plain: plain.length === 0 ? NULL : fc.oneof(...plain),
    edges: inTurn(possible.map(({ plain, edges }) => [
      // The first edge of a branch switches to the branch.
      () => sample(plain),
      ...edges,
    ])),
    beyond: inTurn(possible.map(({ beyond }) => beyond)),
  };
}

/** The first items of all lists, then the second items, and so on. */
export function inTurn<Item>(lists: readonly (readonly Item[])[]): Item[] {
  const length = Math.max(0, ...lists.map(({ length }) => length));
  return Array.from(
    { length },
    (_, row) => lists.flatMap((list) => list.slice(row, row + 1)),
  ).flat();
}

/** A few generated values; each call returns the same values. */
export function samplesOf(arbitrary: Arbitrary, numRuns: number): unknown[] {
  return fc.sample(arbitrary, { numRuns, seed: 1 });
}

function sample(arbitrary: Arbitrary): unknown {
  return samplesOf(arbitrary, 1)[0];
}

function listValues(
  { prefixItems, items, minItems = 0, maxItems, uniqueItems }: JsonSchema,
  context: Context,
  name: string,
): Values | undefined {
  const prefix = (Array.isArray(prefixItems) ? prefixItems : [])
    .map((item) => build(item, context));
  if (!prefix.every((each) => each !== undefined)) return undefined;
  const item = build(items ?? prefix.length === 0, context, name);
  const least = Math.max(0, Number(minItems) - prefix.length);
  const most = Math.max(0, Number(maxItems ?? MAX_ITEMS) - prefix.length);
  if (item === undefined && least > 0 || least > MAX_ITEMS) return undefined;
  const isDeep = context.followed.size > MAX_REFERENCES;
  const some = isDeep ? least : Math.min(most, Math.max(1, least));
  const isUnique = uniqueItems === true;
  const selector = (value: unknown) => JSON.stringify(value);
  const lists = (length: number) => {
    const limits = { minLength: length, maxLength: length };
    const rest = item === undefined
      ? fc.constant([])
      : isUnique
      ? fc.uniqueArray(item.plain, { ...limits, selector })
      : fc.array(item.plain, limits);
    return fc.tuple(fc.tuple(...prefix.map(({ plain }) => plain)), rest)
      .map(([first, second]) => [...first, ...second]);
  };
  const ofLength = (length: number) =>
    length < 0 || length > MAX_ITEMS || item === undefined
      ? []
      : [() => sample(lists(length))];
  // Programs often mishandle duplicates.
  const twice = (most: number): Edit => (list) =>
    Array.isArray(list) && 2 * list.length <= most ? [...list, ...list] : list;
  const all = item === undefined ? prefix : [...prefix, item];
  const inside = (kind: "edges" | "beyond") =>
    all.map((each, index) => each[kind].map((edit) => inItem(index, edit)));
  return {
    plain: lists(some),
    edges: inTurn([[
      ...ofLength(least),
      ...maxItems === undefined ? [] : ofLength(most),
      ...isUnique || item === undefined ? [] : [twice(most)],
    ], ...inside("edges")]),
    beyond: inTurn([[
      ...ofLength(least - 1),
      ...maxItems === undefined ? [] : ofLength(most + 1),
      ...isUnique ? [twice(MAX_ITEMS)] : [],
      ...WRONG,
    ], ...inside("beyond")]),
  };
}

function inItem(index: number, edit: Edit): Edit {
  return (list) => {
    // A query carries a list of one item as a string.
    if (!Array.isArray(list)) return edit(list);
    if (index >= list.length) return list;
    const edited = edit(list[index]);
    return edited === list[index] ? list : list.with(index, edited);
  };
}

function inMember(name: string, edit: Edit): Edit {
  return (object) => {
    if (!isObject(object)) return object;
    const member = Object.hasOwn(object, name) ? object[name] : undefined;
    const edited = edit(member);
    if (edited === member) return object;
    const { [name]: _, ...rest } = object;
    return edited === undefined ? rest : { ...object, [name]: edited };
  };
}

function objectValues(
  schema: JsonSchema,
  context: Context,
): Values | undefined {
  const { members, needed } = objectMembers(schema);
  const plain: fc.Arbitrary<[string, unknown]>[] = [];
  const edges: Edit[][] = [];
  const beyond: Edit[][] = [];
  for (const [name, schema] of members) {
    const isNeeded = needed.has(name);
    const values = build(schema, context, name);
    if (values === undefined) {
      if (isNeeded) return undefined;
      continue;
    }
    if (isNeeded || context.followed.size <= MAX_REFERENCES) {
      plain.push(values.plain.map((value) => [name, value]));
    }
    const edits = (all: readonly Edit[], isOmitted: boolean) =>
      [...isOmitted ? [() => undefined] : [], ...all]
        .map((edit) => inMember(name, edit));
    edges.push(edits(values.edges, !isNeeded));
    beyond.push(edits(values.beyond, isNeeded));
  }
  const other = otherMember(schema, context);
  if (other !== undefined) plain.push(other.entry);
  const minimal: Edit = (object) =>
    isObject(object)
      ? Object.fromEntries(
        Object.entries(object).filter(([name]) => needed.has(name)),
      )
      : object;
  return {
    plain: fc.tuple(...plain).map((entries) => Object.fromEntries(entries)),
    edges: [
      ...needed.size < plain.length ? [minimal] : [],
      ...inTurn([...edges, other?.edges ?? []]),
    ],
    beyond: inTurn([
      ...beyond,
      [inMember("notintheschema", () => "x"), ...WRONG],
    ]),
  };
}

/** A member whose name the schema does not list, and changes to such members. */
function otherMember(
  { additionalProperties, propertyNames }: JsonSchema,
  context: Context,
): { entry: fc.Arbitrary<[string, unknown]>; edges: Edit[] } | undefined {
  if (!isObject(additionalProperties)) return undefined;
  const name = build(propertyNames ?? { type: "string" }, context);
  const values = build(additionalProperties, context);
  if (values === undefined || name === undefined) return undefined;
  const key = String(sample(name.plain));
  return {
    entry: values.plain.map((value) => [key, value]),
    edges: [
      ...NAMES.map((name) => inMember(name, () => sample(values.plain))),
      ...values.edges.map((edit) => inMember(key, edit)),
    ],
  };
}
