import { isObject } from "../../common/values.ts";
import {
  flatten,
  MAX_REFERENCES,
  objectMembers,
  typesOf,
} from "../flat_schema.ts";
import type { JsonSchema } from "../types.ts";
import { exampleNumber } from "./numbers.ts";
import { exampleString } from "./strings.ts";

/** How many values an example has, before members are left out that may be. */
const MAX_VALUES = 300;

/** How many values are tried at all. */
const MAX_TRIES = 3_000;

/** How many items a list may need to have. */
const MAX_ITEMS = 100;

/**
 * An example of what a JSON Schema describes, as a person would write it.
 *
 * What the schema itself gives comes first: `examples`, `const`, `default`, `enum`.
 * Otherwise a value is made that fits type, format, bounds, lengths and simple
 * patterns. Of `anyOf` and `oneOf` the first branch is taken. A reference that
 * leads back to itself is followed once. Keywords that say what a value is not,
 * such as `not`, `if` and `contains`, are passed over.
 *
 * @param schema A schema of draft 2020-12.
 * @param options `root` is what references such as `#/components/schemas/Book` lead
 * into, the schema itself by default. `name`, of a property or parameter, becomes a
 * text where nothing else says what the text is.
 * @returns The example; `undefined` if none is found, as for a file.
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
  #tries = 0;

  constructor(root: unknown) {
    this.#root = root;
  }

  build(given: unknown, name: string, around: ReadonlySet<string>): unknown {
    if (++this.#tries > MAX_TRIES) return undefined;
    const flat = flatten(given, this.#root, around);
    if (flat === undefined) return undefined;
    const { schema, branches, followed } = flat;
    const found = givenExample(schema);
    if (found !== undefined) return found.value;
    if (branches !== undefined) {
      return firstOf(
        branches.values().map((branch) => this.build(branch, name, followed)),
      );
    }
    const types = typesOf(schema);
    const type = types.find((name) => name !== "null") ?? types[0];
    switch (type) {
      case "string":
        return exampleString(schema, name);
      case "number":
      case "integer":
        return exampleNumber({ ...schema, type });
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
    const item = this.build(items ?? true, singular(name), followed);
    if (item === undefined) return list.length < least ? undefined : list;
    if (uniqueItems === true && wanted > prefix.length + 1) {
      return this.#uniqueList(items, wanted);
    }
    while (list.length < wanted) list.push(item);
    return list;
  }

  /** The items of a list without duplicates, which only an `enum` has for sure. */
  #uniqueList(items: unknown, count: number): unknown {
    const values = flatten(items, this.#root, new Set())?.schema.enum;
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

  /** Whether members that may be left out should be. */
  #isCrowded(followed: ReadonlySet<string>): boolean {
    return followed.size > MAX_REFERENCES || this.#tries > MAX_VALUES;
  }
}

/** The example that a schema itself gives, if it does. */
function givenExample(schema: JsonSchema): { value: unknown } | undefined {
  const { examples, example, default: fallback, enum: values } = schema;
  const [first] = Array.isArray(examples) ? examples : [];
  const value = [first, example, schema.const, fallback]
    .find((each) => each !== undefined);
  if (value !== undefined) return { value };
  if (!Array.isArray(values)) return undefined;
  return { value: firstOf(values.values()) };
}

/** The first value that is neither `undefined` nor `null`, or else `null` if it is there. */
function firstOf(values: IteratorObject<unknown>): unknown {
  let found: unknown;
  for (const value of values) {
    if (value !== null && value !== undefined) return value;
    if (value === null) found = null;
  }
  return found;
}

/** The name of one of `books`: `book`. */
function singular(name: string): string {
  return name.replace(/([^s])s$/, "$1");
}
