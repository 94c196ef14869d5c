import { isObject } from "../core/common/values.ts";
import {
  type JsonSchema,
  pointerStep,
  targetOf,
} from "../core/schema/json_schema.ts";

/** A schema without references, and the references that led to it. */
export interface FlatSchema {
  /** The schema, without `$ref`, `allOf` and unions at the top level. */
  readonly schema: JsonSchema;
  /** The branches of the first `anyOf` or `oneOf`, each merged with the rest. */
  readonly branches: readonly JsonSchema[] | undefined;
  /** Whether `oneOf` lists the branches: no value is valid in two branches. */
  readonly isOneOf: boolean;
  /** The references that led to this schema, including those of outer schemas. */
  readonly followed: ReadonlySet<string>;
}

/** The maximum number of references to follow into optional members. */
export const MAX_REFERENCES = 4;

/**
 * Follows the references of a schema and merges its `allOf`, only at the top level.
 *
 * @param given The schema, or `true` or `false`.
 * @param root The document to which references such as `#/$defs/Book` refer.
 * @param followed The references that led to this schema.
 * @returns The schema; `undefined` if no value is valid, or if a reference is recursive.
 */
export function flatten(
  given: unknown,
  root: unknown,
  followed: ReadonlySet<string> = new Set(),
): FlatSchema | undefined {
  const flat = withoutReferences(given, root, followed);
  if (flat === undefined) return undefined;
  const { schema, unions: [first, ...others] } = flat;
  const branches = first && list(first.anyOf ?? first.oneOf)
    .map((branch) => ({ allOf: [branch, schema, ...others] }));
  const isOneOf = first?.oneOf !== undefined;
  return { schema, branches, isOneOf, followed: flat.followed };
}

interface Flat extends Pick<FlatSchema, "schema" | "followed"> {
  /** The `anyOf` and `oneOf` of the schema and of its parts. */
  readonly unions: readonly JsonSchema[];
}

function withoutReferences(
  given: unknown,
  root: unknown,
  followed: ReadonlySet<string>,
): Flat | undefined {
  if (given === false) return undefined;
  if (!isObject(given)) return { schema: {}, unions: [], followed };
  const { $ref, allOf, anyOf, oneOf, ...own } = given;
  const parts = Array.isArray(allOf) ? [...allOf] : [];
  if (typeof $ref === "string") {
    if (followed.has($ref)) return undefined;
    followed = new Set([...followed, $ref]);
    parts.unshift(targetOf($ref, root));
  }
  let schema: JsonSchema = {};
  const unions: JsonSchema[] = [
    ...Array.isArray(anyOf) ? [{ anyOf }] : [],
    ...Array.isArray(oneOf) ? [{ oneOf }] : [],
  ];
  for (const part of parts) {
    const flat = withoutReferences(part, root, followed);
    if (flat === undefined) return undefined;
    schema = merge(schema, flat.schema);
    unions.push(...flat.unions);
    followed = flat.followed;
  }
  return { schema: merge(schema, own), unions, followed };
}

/** Returns the members of an object by name, and the names of its required members. */
export function objectMembers(
  { properties = {}, required = [], additionalProperties = true }: JsonSchema,
): { members: Map<string, unknown>; needed: ReadonlySet<string> } {
  const members = new Map<string, unknown>(
    Object.entries(properties as object),
  );
  const needed = new Set(required as readonly string[]);
  for (const name of needed) {
    if (!members.has(name)) members.set(name, additionalProperties);
  }
  return { members, needed };
}

/** The JSON pointer of a member. */
export function pointerTo(name: string): string {
  return `/${pointerStep(name)}`;
}

/** The values that a schema lists as `const`, as `enum`, or as both. */
export function listedValues(
  { const: only, enum: listed }: JsonSchema,
): readonly unknown[] | undefined {
  const choices = Array.isArray(listed) ? listed : undefined;
  return only === undefined
    ? choices
    : [only].filter(() => choices?.some((each) => isSame(each, only)) ?? true);
}

/** The keywords that imply a type if `type` is missing. */
const KEYWORDS: Readonly<Record<string, readonly string[]>> = {
  string: ["format", "pattern", "minLength", "maxLength"],
  number: ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"]
    .concat("multipleOf"),
  array: ["items", "prefixItems"],
  object: ["properties", "required", "additionalProperties"],
};

/** Returns the types of a schema; an empty list if its keywords imply no type. */
export function typesOf(schema: JsonSchema): readonly string[] {
  if (schema.type !== undefined) return [schema.type].flat().map(String);
  const found = Object.keys(KEYWORDS).find((type) =>
    KEYWORDS[type]!.some((keyword) => Object.hasOwn(schema, keyword))
  );
  return found === undefined ? [] : [found];
}

/** A function that merges two values; `undefined` if no value satisfies both. */
type Merge = (a: unknown, b: unknown) => unknown;

const both: Merge = (a, b) => [a, b].flat();

/** The functions that merge two values of a keyword. */
const MERGE: Readonly<Record<string, Merge>> = {
  allOf: both,
  enum: (a, b) => {
    const strings = list(b).map((value) => JSON.stringify(value));
    return list(a).filter((value) => strings.includes(JSON.stringify(value)));
  },
  items: (a, b) => ({ allOf: [a, b] }),
  pattern: both,
  prefixItems: (a, b) =>
    list(a).map((item, index) => ({ allOf: [item, list(b)[index]] })),
  properties: (a, b) => {
    const merged = new Map(Object.entries(a as JsonSchema));
    for (const [name, schema] of Object.entries(b as JsonSchema)) {
      const known = merged.get(name) ?? schema;
      const joined = { allOf: [known, schema] };
      merged.set(name, isSame(known, schema) ? schema : joined);
    }
    return Object.fromEntries(merged);
  },
  required: (a, b) => [...new Set([a, b].flat())],
  type: (a, b) => {
    const types = list(a).filter((type) => list(b).includes(type));
    if (types.length > 0) return types;
    // Every integer is also a number.
    const all = [a, b].flat();
    return all.includes("integer") && all.includes("number")
      ? "integer"
      : undefined;
  },
};

/** Matches keywords that limit a number, from below or from above. */
const LIMIT = /^(?:exclusiveM|m)(in|ax)(?:imum|Items|Length|Properties)$/;

/** The function that merges two values of a keyword, such as two limits. */
function mergeOf(keyword: string): Merge | undefined {
  const [, limit] = LIMIT.exec(keyword) ?? [];
  if (limit === undefined) return MERGE[keyword];
  const strictest = limit === "in" ? Math.max : Math.min;
  return (a, b) => strictest(Number(a), Number(b));
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/**
 * Merges two schemas. If the values of a keyword cannot be merged, keeps the value of
 * the second schema, and the value of the first schema in `allOf`.
 */
function merge(first: JsonSchema, second: JsonSchema): JsonSchema {
  const size = Math.max(
    ...[first, second].map((each) => list(each.prefixItems ?? []).length),
  );
  const merged: Record<string, unknown> = { ...withPrefix(first, size) };
  for (const [keyword, value] of Object.entries(withPrefix(second, size))) {
    const known = merged[keyword];
    const joined = known === undefined
      ? value
      : mergeOf(keyword)?.(known, value);
    merged[keyword] = joined ?? value;
    const isKept = joined !== undefined || isSame(known, value);
    if (isKept || DESCRIPTIVE.has(keyword)) continue;
    merged.allOf = [...list(merged.allOf ?? []), { [keyword]: known }];
  }
  return merged;
}

/** Describes the first items by `prefixItems`, since `items` describes later items. */
function withPrefix(schema: JsonSchema, size: number): JsonSchema {
  const { prefixItems, items } = schema;
  if (size === 0 || (prefixItems ?? items) === undefined) return schema;
  const known = list(prefixItems ?? []);
  const length = { length: size };
  const all = Array.from(length, (_, index) => known[index] ?? items ?? true);
  return { ...schema, prefixItems: all };
}

/** Keywords that accept every value. */
const DESCRIPTIVE = new Set(
  ["$defs", "default", "deprecated", "description", "example", "examples"]
    .concat("id", "readOnly", "title", "writeOnly"),
);

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value];
}
