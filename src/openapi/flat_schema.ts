import { isObject } from "../common/values.ts";
import type { JsonSchema } from "./types.ts";

/** A schema without references, and the references that led to it. */
export interface FlatSchema {
  /** The schema, without `$ref`, `allOf` and unions at the top level. */
  readonly schema: JsonSchema;
  /**
   * The branches of the first `anyOf` or `oneOf`, each merged with the rest of the
   * schema.
   */
  readonly branches: readonly JsonSchema[] | undefined;
  /**
   * The references that led to this schema, including the references of outer schemas.
   */
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
  followed: ReadonlySet<string>,
): FlatSchema | undefined {
  const flat = withoutReferences(given, root, followed);
  if (flat === undefined) return undefined;
  const { schema, unions: [first, ...others] } = flat;
  const rest = [schema, ...others.map((anyOf) => ({ anyOf }))];
  const branches = first?.map((branch) => ({ allOf: [branch, ...rest] }));
  return { schema, branches, followed: flat.followed };
}

interface Flat extends Omit<FlatSchema, "branches"> {
  /** The branches of each `anyOf` and `oneOf`. */
  readonly unions: readonly (readonly unknown[])[];
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
    parts.unshift(target($ref, root));
  }
  let schema: JsonSchema = {};
  const unions: (readonly unknown[])[] = [anyOf, oneOf]
    .filter((branches) => Array.isArray(branches));
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

/** Returns the target of a reference such as `#/components/schemas/Book`. */
function target(reference: string, root: unknown): unknown {
  if (!reference.startsWith("#")) return true;
  let value = root;
  for (const token of reference.slice(1).split("/").slice(1)) {
    const key = decodeURIComponent(token).replaceAll("~1", "/")
      .replaceAll("~0", "~");
    if (!isObject(value) || !Object.hasOwn(value, key)) return true;
    value = value[key];
  }
  return value;
}

const least = (a: unknown, b: unknown) => Math.max(Number(a), Number(b));
const most = (a: unknown, b: unknown) => Math.min(Number(a), Number(b));

/**
 * For each keyword, a function that merges two values into one value that satisfies
 * both.
 */
const MERGE: Readonly<Record<string, (a: unknown, b: unknown) => unknown>> = {
  enum: (a, b) => {
    const strings = [b].flat().map((value) => JSON.stringify(value));
    return [a].flat().filter((value) =>
      strings.includes(JSON.stringify(value))
    );
  },
  exclusiveMaximum: most,
  exclusiveMinimum: least,
  items: (a, b) => ({ allOf: [a, b] }),
  maximum: most,
  maxItems: most,
  maxLength: most,
  minimum: least,
  minItems: least,
  minLength: least,
  pattern: (a, b) => [...list(a), ...list(b)],
  properties: (a, b) => {
    const merged = new Map(Object.entries(a as JsonSchema));
    for (const [name, schema] of Object.entries(b as JsonSchema)) {
      const known = merged.get(name);
      const both = { allOf: [known, schema] };
      merged.set(name, known === undefined ? schema : both);
    }
    return Object.fromEntries(merged);
  },
  required: (a, b) => [...new Set([...list(a), ...list(b)])],
  type: (a, b) => {
    const both = [a].flat().filter((type) => [b].flat().includes(type));
    if (both.length > 0) return both;
    // Every integer is also a number.
    return [a, b].flat().includes("integer") ? "integer" : b;
  },
};

/**
 * Merges two schemas. If the values of a keyword cannot be merged, keeps the value of
 * the second schema.
 */
function merge(first: JsonSchema, second: JsonSchema): JsonSchema {
  const merged: Record<string, unknown> = { ...first };
  for (const [keyword, value] of Object.entries(second)) {
    merged[keyword] = Object.hasOwn(merged, keyword) &&
        Object.hasOwn(MERGE, keyword)
      ? MERGE[keyword]!(merged[keyword], value)
      : value;
  }
  return merged;
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value];
}
