import { flatten, listedValues, objectMembers } from "../shared/flat_schema.ts";
import type { JsonSchema } from "../openapi/mod.ts";
import { canonical, canonicalData } from "./canonical.ts";

/**
 * A schema of one type without unions; or a value that a schema lists, as `const`, with
 * other keywords that may exclude it.
 */
export interface Shape {
  readonly type: string;
  readonly keywords: JsonSchema;
  /** The document to which its references refer. */
  readonly root: unknown;
}

/**
 * The keywords of values outside a limit: `{ maxLength: 4 }` for `minLength: 5`. The
 * result is `undefined` if the wider schema has the same limit.
 */
type Outside = (
  limit: number,
  wide: JsonSchema,
  narrow: JsonSchema,
) => JsonSchema | undefined;

/**
 * The keywords of each type, with the values outside a limit; `null` for keywords that
 * contain schemas. Other keywords are not compared.
 */
export const KEYWORDS: Readonly<
  Record<string, Readonly<Record<string, Outside | null>>>
> = {
  string: {
    minLength: (limit) => ({ maxLength: limit - 1 }),
    maxLength: (limit) => ({ minLength: limit + 1 }),
    format: (_, wide, narrow) => wide.format === narrow.format ? undefined : {},
    // `allOf` may have merged several patterns.
    pattern(_, { format, pattern = [] }, narrow) {
      const known: unknown[] = [pattern].flat();
      const isNew = [narrow.pattern].flat().some((each) =>
        !known.includes(each)
      );
      // The change of a format includes its pattern.
      const isOther = narrow.format !== undefined && narrow.format !== format;
      return isNew && !isOther ? {} : undefined;
    },
  },
  number: {
    minimum: (limit) => ({ exclusiveMaximum: limit }),
    maximum: (limit) => ({ exclusiveMinimum: limit }),
    exclusiveMinimum: (limit) => ({ maximum: limit }),
    exclusiveMaximum: (limit) => ({ minimum: limit }),
    multipleOf(limit, { multipleOf }) {
      const count = Number(multipleOf) / limit;
      const whole = Math.round(count);
      const isWhole = whole > 0 && Number.isSafeInteger(whole) &&
        Math.abs(count - whole) < 1e-9;
      return isWhole ? undefined : {};
    },
  },
  boolean: {},
  null: {},
  array: {
    minItems: (limit) => ({ maxItems: limit - 1 }),
    maxItems: (limit) => ({ minItems: limit + 1 }),
    uniqueItems: (_, wide, narrow) =>
      wide.uniqueItems || !narrow.uniqueItems ? undefined : { minItems: 2 },
    items: null,
    prefixItems: null,
  },
  object: {
    minProperties: (limit) => ({ maxProperties: limit - 1 }),
    maxProperties: (limit) => ({ minProperties: limit + 1 }),
    properties: null,
    required: null,
    additionalProperties: null,
    propertyNames: null,
  },
};

/** Keywords that accept or refuse no value, and keywords that a shape resolves. */
const NEUTRAL =
  /^(?:type|enum|const|title|description|examples?|default|deprecated|readOnly|writeOnly|discriminator|externalDocs|xml|\$(?:id|schema|comment|defs|anchor)|x-.*)$/;

/** Whether a shape is one value. */
export function isListed({ keywords }: Shape): boolean {
  return Object.hasOwn(keywords, "const");
}

/** The maximum number of branches; larger unions are not compared. */
const MAX_BRANCHES = 500;

/** Splits a schema into shapes. */
export function shapesOf(given: unknown, root: unknown): Shape[] {
  const budget = { left: MAX_BRANCHES };
  const shapes = split(given, root, budget);
  return budget.left >= 0 ? shapes : Object.keys(KEYWORDS)
    .map((type) => ({ type, keywords: { anyOf: given }, root }));
}

/** The shapes of a schema; incomplete if it has more branches than are left. */
function split(
  given: unknown,
  root: unknown,
  budget: { left: number },
): Shape[] {
  const flat = flatten(given, root);
  if (flat === undefined) return [];
  const { schema, branches, isOneOf } = flat;
  if (branches !== undefined) {
    const all = branches.map((branch) =>
      --budget.left < 0 ? [] : split(branch, root, budget)
    );
    const shapes = all.flat();
    const isAnyOf = !isOneOf ||
      all.every((each, index) =>
        areDisjoint(each, all.slice(index + 1).flat())
      );
    // A value of two branches is valid in `anyOf` alone.
    return isAnyOf ? shapes : shapes.map(({ keywords, ...shape }) => ({
      ...shape,
      keywords: { ...keywords, oneOf: branches },
    }));
  }
  const { type = Object.keys(KEYWORDS), not } = schema;
  if (canonical(not) === "{}") return [];
  return [type].flat()
    .flatMap((name) => shapesOfType(String(name), { schema, root }));
}

/** The shapes of one type of a schema without unions. */
function shapesOfType(
  name: string,
  { schema, root }: { readonly schema: JsonSchema; readonly root: unknown },
): Shape[] {
  const type = name === "integer" ? "number" : name;
  const others = Object.entries(KEYWORDS).filter(([each]) => each !== type);
  const own = Object.entries(schema).filter(([keyword]) =>
    !NEUTRAL.test(keyword) &&
    !others.some(([, known]) => Object.hasOwn(known, keyword))
  );
  // A schema without keywords describes every member: `{}` accepts all values.
  const isOpen = type === "object" && schema.type === undefined &&
    own.length === 0;
  const keywords = isOpen
    ? { additionalProperties: {} }
    : Object.fromEntries(own);
  const values =
    listedValues(schema)?.filter((value) => typeOf(value) === type) ??
      { boolean: [true, false], null: [null] }[type];
  const all = values === undefined
    ? [name === type ? keywords : integer(keywords)]
    : values.map((value) => ({ const: value, ...keywords }));
  return all.map((each) => ({ type, keywords: each, root }));
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

/**
 * Describes an integer as a multiple of 1, with inclusive limits, and without the limits
 * of safe integers, which some libraries add.
 */
function integer({
  exclusiveMinimum: above = -Infinity,
  exclusiveMaximum: below = Infinity,
  minimum = -Infinity,
  maximum = Infinity,
  ...rest
}: JsonSchema): JsonSchema {
  const least = Math.max(Number(minimum), Math.floor(Number(above)) + 1);
  const most = Math.min(Number(maximum), Math.ceil(Number(below)) - 1);
  return {
    multipleOf: 1,
    ...rest,
    ...(least > Number.MIN_SAFE_INTEGER && { minimum: least }),
    ...(most < Number.MAX_SAFE_INTEGER && { maximum: most }),
  };
}

/** Whether no value has a shape of both lists, such as objects of different `kind`. */
export function areDisjoint(
  first: readonly Shape[],
  second: readonly Shape[],
): boolean {
  return first.every((a) =>
    second.every((b) =>
      a.type !== b.type ||
      tagsOf(a).entries().some(([name, values]) =>
        tagsOf(b).get(name)?.isDisjointFrom(values)
      )
    )
  );
}

const tags = new WeakMap<Shape, ReadonlyMap<string, ReadonlySet<string>>>();

/** The values of a shape, and of its required members, that schemas list. */
function tagsOf(shape: Shape): ReadonlyMap<string, ReadonlySet<string>> {
  return tags.getOrInsertComputed(shape, ({ keywords, root }) => {
    const { members, needed } = objectMembers(keywords);
    const found = new Map<string, ReadonlySet<string>>();
    const add = (pointer: string, schema: unknown) => {
      const listed = listedValues(flatten(schema, root)?.schema ?? {});
      if (listed) found.set(pointer, new Set(listed.map(canonicalData)));
    };
    add("", keywords);
    for (const name of needed) add(`/${name}`, members.get(name));
    return found;
  });
}

/** Splits an object by a required member whose values distinguish the options. */
export function splitByTag(shape: Shape, options: readonly Shape[]): Shape[] {
  if (options.length < 2) return [shape];
  const tag = tagsOf(shape).entries().find(([pointer, values]) =>
    pointer !== "" && values.size > 1 &&
    options.some((option) =>
      tagsOf(option).get(pointer)?.isSupersetOf(values) === false
    )
  );
  if (tag === undefined) return [shape];
  const [pointer, values] = tag;
  const { keywords } = shape;
  const others = options.map((option) => tagsOf(option).get(pointer));
  // Values that the same options accept stay together: an enumeration may be long.
  const groups = Map.groupBy(
    values,
    (value) => others.map((each) => each?.has(value) ?? true).join(),
  );
  return [...groups.values()].map((group) => {
    const listed = group.map((value) => JSON.parse(value));
    const member = { [pointer.slice(1)]: { enum: listed } };
    const properties = { ...keywords.properties as object, ...member };
    return { ...shape, keywords: { ...keywords, properties } };
  });
}

/** The schemas of the members of an object, or of the items of an array. */
export interface Children {
  /** The schemas by name or index. */
  readonly named: ReadonlyMap<string, unknown>;
  /** The names of required members. */
  readonly needed: ReadonlySet<string>;
  /** The schema of all other members or items. */
  readonly rest: unknown;
}

export function childrenOf({ type, keywords }: Shape): Children {
  if (type === "object") {
    const { members: named, needed } = objectMembers(keywords);
    return { named, needed, rest: keywords.additionalProperties ?? true };
  }
  const { prefixItems = [], items = true, maxItems = Infinity } = keywords;
  const first = (prefixItems as unknown[]).slice(0, Number(maxItems));
  const rest = first.length < Number(maxItems) && items;
  return { named: new Map(Object.entries(first)), needed: new Set(), rest };
}
