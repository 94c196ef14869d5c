import fc from "fast-check";
import { isObject } from "../../common/values.ts";
import {
  flatten,
  MAX_REFERENCES,
  objectMembers,
  typesOf,
} from "../../openapi/flat_schema.ts";
import type { JsonSchema } from "../../openapi/types.ts";
import { numberArbitrary } from "./numbers.ts";
import { stringArbitrary } from "./strings.ts";

/** What values are made of. */
type Arbitrary = fc.Arbitrary<unknown>;

/** What the values of a schema may also be. */
export interface ArbitraryOptions {
  /** Values that fit a member of this name, such as identifiers: `bookId`. */
  readonly known: ReadonlyMap<string, readonly unknown[]>;
}

/** How many items a list has beyond those that it needs. */
const MORE_ITEMS = 3;

/** The largest list that is made. */
const MAX_ITEMS = 1_000;

/**
 * Makes values that a JSON Schema describes, its edges more often than by chance.
 * Keywords that say what a value is not are passed over: the schema itself decides.
 *
 * @returns `undefined` if no value fits.
 */
export function arbitraryOf(
  schema: JsonSchema,
  options: ArbitraryOptions,
): Arbitrary | undefined {
  return new Builder(schema, options).build(schema, "", new Set());
}

class Builder {
  readonly #root: unknown;
  readonly #known: ArbitraryOptions["known"];

  constructor(root: unknown, { known }: ArbitraryOptions) {
    this.#root = root;
    this.#known = known;
  }

  build(
    given: unknown,
    name: string,
    around: ReadonlySet<string>,
  ): Arbitrary | undefined {
    const flat = flatten(given, this.#root, around);
    if (flat === undefined) return undefined;
    const { schema, branches, followed } = flat;
    const made = branches === undefined
      ? this.#plain(schema, followed)
      : oneOf(branches.map((branch) => this.build(branch, "", followed)));
    if (made === undefined) return undefined;
    const { examples, default: fallback } = schema;
    const given_ = [
      ...(Array.isArray(examples) ? examples : []),
      ...(fallback === undefined ? [] : [fallback]),
    ];
    const known = this.#known.get(name) ?? [];
    return fc.oneof(
      { arbitrary: made, weight: 4 },
      ...(given_.length === 0
        ? []
        : [{ arbitrary: fc.constantFrom(...given_), weight: 1 }]),
      ...(known.length === 0
        ? []
        : [{ arbitrary: fc.constantFrom(...known), weight: 8 }]),
    );
  }

  #plain(
    schema: JsonSchema,
    followed: ReadonlySet<string>,
  ): Arbitrary | undefined {
    if (schema.const !== undefined) return fc.constant(schema.const);
    if (Array.isArray(schema.enum)) {
      return schema.enum.length === 0
        ? undefined
        : fc.constantFrom(...schema.enum);
    }
    const types = typesOf(schema);
    return oneOf(
      (types.length > 0 ? types : ["any"])
        .map((type) => this.#typed(type, schema, followed)),
    );
  }

  #typed(
    type: string,
    schema: JsonSchema,
    followed: ReadonlySet<string>,
  ): Arbitrary | undefined {
    switch (type) {
      case "string":
        return stringArbitrary(schema);
      case "integer":
      case "number":
        return numberArbitrary(schema, type === "integer");
      case "boolean":
        return fc.boolean();
      case "null":
        return fc.constant(null);
      case "array":
        return this.#list(schema, followed);
      case "object":
        return this.#object(schema, followed);
      default:
        return fc.jsonValue({ maxDepth: 1 });
    }
  }

  #list(
    { prefixItems, items, minItems = 0, maxItems = MAX_ITEMS, uniqueItems }:
      JsonSchema,
    followed: ReadonlySet<string>,
  ): Arbitrary | undefined {
    const prefix = (Array.isArray(prefixItems) ? prefixItems : [])
      .map((item) => this.build(item, "", followed));
    if (prefix.includes(undefined)) return undefined;
    const item = items === false ? undefined : this.build(
      items ?? (prefix.length > 0 ? false : true),
      "",
      followed,
    );
    const least = Math.max(0, Number(minItems) - prefix.length);
    const most = Math.max(0, Number(maxItems) - prefix.length);
    if (item === undefined && least > 0 || least > MAX_ITEMS) return undefined;
    const maxLength = item === undefined || followed.size > MAX_REFERENCES
      ? least
      : Math.min(most, least + MORE_ITEMS);
    const rest = item === undefined
      ? fc.constant([])
      : uniqueItems === true
      ? fc.uniqueArray(item, {
        minLength: least,
        maxLength,
        selector: (value) => JSON.stringify(value),
      })
      : fc.oneof(
        {
          arbitrary: fc.array(item, { minLength: least, maxLength }),
          weight: 4,
        },
        // The same twice is what programs forget.
        ...(least <= 2 && maxLength >= 2
          ? [{ arbitrary: item.map((value) => [value, value]), weight: 1 }]
          : []),
      );
    return fc.tuple(fc.tuple(...prefix as Arbitrary[]), rest)
      .map(([first, second]) => [...first, ...second]);
  }

  #object(
    schema: JsonSchema,
    followed: ReadonlySet<string>,
  ): Arbitrary | undefined {
    const { additionalProperties, propertyNames } = schema;
    const { members, needed } = objectMembers(schema);
    type Entry = fc.Arbitrary<[string, unknown] | undefined>;
    const entries: Entry[] = [];
    /** The same without all that may be left out. */
    const least: Entry[] = [];
    for (const [name, schema] of members) {
      const value = this.build(schema, name, followed);
      if (value === undefined) {
        if (needed.has(name)) return undefined;
        continue;
      }
      const entry = value.map((value): [string, unknown] => [name, value]);
      entries.push(
        needed.has(name) ? entry : fc.option(entry, {
          nil: undefined,
          freq: followed.size > MAX_REFERENCES ? 0 : 3,
        }),
      );
      least.push(needed.has(name) ? entry : fc.constant(undefined));
    }
    const others = isObject(additionalProperties)
      ? this.#others(additionalProperties, propertyNames, followed)
      : fc.constant([]);
    const own = fc.oneof(
      { arbitrary: fc.tuple(...entries), weight: 7 },
      { arbitrary: fc.tuple(...least), weight: 1 },
    );
    return fc.tuple(own, others).map(([own, others]) =>
      Object.fromEntries([
        ...others,
        ...own.filter((entry) => entry !== undefined),
      ])
    );
  }

  /** Members with names that the schema leaves open. */
  #others(
    schema: JsonSchema,
    names: unknown,
    followed: ReadonlySet<string>,
  ): fc.Arbitrary<[string, unknown][]> {
    const value = this.build(schema, "", followed);
    const name = this.build(names ?? { type: "string" }, "", followed);
    if (value === undefined || name === undefined) return fc.constant([]);
    return fc.array(fc.tuple(name.map(String), value), { maxLength: 3 });
  }
}

/** One of several; `undefined` if none can be. */
function oneOf(
  arbitraries: readonly (Arbitrary | undefined)[],
): Arbitrary | undefined {
  const possible = arbitraries.filter((each) => each !== undefined);
  return possible.length < 2 ? possible[0] : fc.oneof(...possible);
}
