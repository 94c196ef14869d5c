import { isObject } from "../../core/common/values.ts";
import {
  flatten,
  MAX_REFERENCES,
  objectMembers,
  typesOf,
} from "../flat_schema.ts";
import type { JsonSchema } from "../types.ts";
import { numberValues } from "./numbers.ts";
import { plainStrings } from "./strings.ts";

/** The number of values after which an example omits optional members. */
const MANY_VALUES = 300;

/** The maximum number of values to try, and of values in an example. */
const MAX_VALUES = 3_000;

/** The largest `minItems` for which to create an array. */
const MAX_ITEMS = 100;

/**
 * Creates an example of a JSON Schema, as a person would write it.
 *
 * The values of the schema come first: `examples`, `const`, `default`, `enum`.
 * Otherwise, the example fits type, format, limits, lengths and simple patterns. The
 * function uses the first possible branch of `anyOf` or `oneOf`, and follows a
 * recursive reference once. The function ignores keywords such as `not`, `if` and
 * `contains`.
 *
 * @param schema A schema of draft 2020-12.
 * @param options `root` is the document to which references such as
 * `#/components/schemas/Book` refer; by default, the schema itself. `name` is the name
 * of the property or parameter, which becomes the value of a string without further
 * keywords.
 * @returns The example; `undefined` if no example is found, as for a file.
 *
 * @example Usage
 * ```ts ignore
 * createExample({
 *   type: "object",
 *   properties: { id: { type: "integer" }, email: { format: "email" } },
 * });
 * // { id: 1, email: "ada@example.com" }
 * ```
 */
export function createExample(
  schema: JsonSchema,
  { root = schema, name = "" }: {
    readonly root?: unknown;
    readonly name?: string;
  } = {},
): unknown {
  return new ExampleBuilder(root).build(schema, name, new Set());
}

class ExampleBuilder {
  readonly #root: unknown;
  /** The number of tried values; a list counts each of its equal items. */
  #values = 0;

  constructor(root: unknown) {
    this.#root = root;
  }

  *#eachOf(
    branches: readonly unknown[],
    name: string,
    followed: ReadonlySet<string>,
  ): Iterable<unknown> {
    for (const branch of branches) yield this.build(branch, name, followed);
  }

  build(given: unknown, name: string, around: ReadonlySet<string>): unknown {
    if (++this.#values > MAX_VALUES) return undefined;
    const flat = flatten(given, this.#root, around);
    if (flat === undefined) return undefined;
    const { schema, branches, followed } = flat;
    const found = givenExample(schema);
    if (found !== undefined) return found.value;
    if (branches !== undefined) {
      return firstOf(this.#eachOf(branches, name, followed));
    }
    const types = typesOf(schema);
    const type = types.find((name) => name !== "null") ?? types[0];
    switch (type) {
      case "string":
        return isObject(schema.contentSchema)
          ? JSON.stringify(this.build(schema.contentSchema, name, followed))
          : plainStrings(schema, name).next().value;
      case "number":
      case "integer":
        return numberValues({ ...schema, type }).plain[0];
      case "boolean":
        return true;
      case "null":
        return null;
      case "array":
        return this.#list(schema, name, followed);
      default:
        return this.#object(schema, followed);
    }
  }

  #list(
    { prefixItems, items, minItems = 0, maxItems = Infinity, uniqueItems }:
      JsonSchema,
    name: string,
    followed: ReadonlySet<string>,
  ): unknown {
    const prefix = Array.isArray(prefixItems) ? prefixItems : [];
    const list = prefix.map((item) => this.build(item, name, followed));
    if (list.includes(undefined)) return undefined;
    const least = Number(minItems);
    const left = items === undefined || items === false ||
      this.#isCrowded(followed);
    const wanted = Math.min(
      Math.max(least, left ? 0 : prefix.length + 1),
      Number(maxItems),
    );
    if (wanted > MAX_ITEMS) return undefined;
    if (wanted <= prefix.length) return list;
    const before = this.#values;
    const item = this.build(items ?? true, singular(name), followed);
    if (item === undefined) return list.length < least ? undefined : list;
    this.#values += (this.#values - before) * (wanted - prefix.length - 1);
    if (this.#values > MAX_VALUES) return undefined;
    if (uniqueItems === true && wanted > prefix.length + 1) {
      return this.#uniqueList(items, wanted);
    }
    while (list.length < wanted) list.push(item);
    return list;
  }

  /** Items without duplicates; only an `enum` reliably provides different items. */
  #uniqueList(items: unknown, count: number): unknown {
    const values = flatten(items, this.#root)?.schema.enum;
    return Array.isArray(values) && values.length >= count
      ? values.slice(0, count)
      : undefined;
  }

  #object(schema: JsonSchema, followed: ReadonlySet<string>): unknown {
    const { additionalProperties, propertyNames } = schema;
    const { members, needed } = objectMembers(schema);
    if (members.size === 0 && isObject(additionalProperties)) {
      const key = this.build(propertyNames ?? true, "key", followed);
      members.set(typeof key === "string" ? key : "key", additionalProperties);
    }
    const entries: [string, unknown][] = [];
    for (const [name, schema] of members) {
      if (!needed.has(name) && this.#isCrowded(followed)) continue;
      const value = this.build(schema, name, followed);
      if (value !== undefined) entries.push([name, value]);
      else if (needed.has(name)) return undefined;
    }
    return Object.fromEntries(entries);
  }

  /** Whether to omit optional members. */
  #isCrowded(followed: ReadonlySet<string>): boolean {
    return followed.size > MAX_REFERENCES || this.#values > MANY_VALUES;
  }
}

/** Returns the example that a schema contains, if there is one. */
function givenExample(schema: JsonSchema): { value: unknown } | undefined {
  const { examples, example, default: fallback, enum: values } = schema;
  const [first] = Array.isArray(examples) ? examples : [];
  const value = [first, example, schema.const, fallback]
    .find((each) => each !== undefined);
  if (value !== undefined) return { value };
  if (!Array.isArray(values)) return undefined;
  return { value: firstOf(values.values()) };
}

/**
 * Returns the first value other than `undefined` and `null`. If there is no such value,
 * returns `null` if the values include `null`.
 */
function firstOf(values: Iterable<unknown>): unknown {
  let found: unknown;
  for (const value of values) {
    if (value !== null && value !== undefined) return value;
    if (value === null) found = null;
  }
  return found;
}

/** Returns the singular of a name: `book` for `books`. */
function singular(name: string): string {
  return name.replace(/([^s])s$/, "$1");
}
