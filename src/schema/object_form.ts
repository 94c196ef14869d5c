import type { StandardSchemaV1 } from "../types/schema.ts";
import {
  definitionName,
  type Direction,
  type JsonForm,
  jsonFormOf,
} from "./json_schema.ts";

/** One way in which an object may fit a JSON Schema. */
export interface ObjectForm {
  /** The JSON Schema of each member that is named. */
  readonly named: ReadonlyMap<string, JsonForm>;
  /**
   * The JSON Schema of all other members: `{}` allows any, `false` none. If it is
   * `undefined`, the library decides: zod drops such members, ArkType keeps them.
   */
  readonly others: JsonForm | false | undefined;
}

/** How deep references and combinations are followed. */
const MAX_DEPTH = 10;

/** Options by which zod, Valibot and ArkType write `{}` for what JSON does not have. */
const LENIENT = {
  unrepresentable: "any",
  errorMode: "ignore",
  fallback: ({ base }: { base: unknown }) => base,
};

/** One side of a schema as JSON Schema; `undefined` if it has no JSON form. */
export function lenientForm(
  schema: StandardSchemaV1,
  direction: Direction,
): JsonForm | undefined {
  try {
    const options = { target: "draft-2020-12", libraryOptions: LENIENT };
    return asForm(jsonFormOf(schema)?.[direction](options));
  } catch {
    return undefined;
  }
}

function asForm(value: unknown): JsonForm | undefined {
  return typeof value === "object" && value !== null
    ? value as JsonForm
    : undefined;
}

/**
 * The ways in which an object may fit a JSON Schema: two for `{ a } | { b }`. There are
 * none if no object fits.
 *
 * @param root The JSON Schema that references in `form` lead into.
 */
export function objectForms(
  form: JsonForm,
  root: JsonForm,
  depth = 0,
): ObjectForm[] {
  const { $ref, type, anyOf, oneOf, allOf, properties, patternProperties } =
    form;
  const isObject = type === undefined || [type].flat().includes("object");
  if (!isObject || "const" in form || "enum" in form || depth > MAX_DEPTH) {
    return [];
  }
  const below = (inner: unknown): ObjectForm[] =>
    inner === false ? [] : objectForms(asForm(inner) ?? {}, root, depth + 1);
  const parts: ObjectForm[][] = [];
  if ($ref !== undefined) parts.push(below(definition($ref, root)));
  for (const each of [anyOf, oneOf]) {
    if (Array.isArray(each)) parts.push(each.flatMap(below));
  }
  if (Array.isArray(allOf)) parts.push(...allOf.map(below));
  const patterns = Object.values(patternProperties ?? {});
  const others = form.additionalProperties ??
    (patterns.length > 0 ? { anyOf: patterns } : undefined);
  if (parts.length === 0 || properties !== undefined || others !== undefined) {
    parts.push([{
      named: namedBy(form),
      others: others === false ? false : asForm(others) ??
        (others === true || properties === undefined ? {} : undefined),
    }]);
  }
  return parts.reduce((all, ways) =>
    all.flatMap((one) => ways.map((other) => both(one, other)))
  );
}

/**
 * The JSON Schemas that an item of an array may fit, one of which is `{}` if it may be
 * anything.
 */
export function itemForms(
  form: JsonForm,
  root: JsonForm,
  index: number,
  depth = 0,
): JsonForm[] {
  const { $ref, type = "array", prefixItems, items } = form;
  if (![type].flat().includes("array") || depth > MAX_DEPTH) return [];
  const { anyOf, oneOf, allOf } = form;
  const below = [anyOf, oneOf, allOf, definition($ref, root)].flat()
    .flatMap((part) =>
      part === undefined
        ? []
        : itemForms(asForm(part) ?? {}, root, index, depth + 1)
    );
  const own = (Array.isArray(prefixItems) ? prefixItems[index] : undefined) ??
    items;
  return own === undefined && below.length > 0
    ? below
    : [...below, asForm(own) ?? {}];
}

/** The named members, also those that only the names of a record list. */
function namedBy(form: JsonForm): Map<string, JsonForm> {
  const { properties, required, propertyNames, additionalProperties } = form;
  const listed = [required, asForm(propertyNames)?.enum].flat()
    .filter((name) => typeof name === "string");
  return new Map([
    ...listed.map((name) =>
      [name, asForm(additionalProperties) ?? {}] as const
    ),
    ...Object.entries(properties ?? {}).map(([name, each]) =>
      [name, asForm(each) ?? {}] as const
    ),
  ]);
}

function definition(reference: unknown, root: JsonForm): unknown {
  if (reference === "#") return root;
  const name = definitionName(reference)
    ?.replaceAll("~1", "/").replaceAll("~0", "~");
  return name === undefined ? undefined : asForm(root.$defs)?.[name];
}

/** What fits both of two ways. */
function both(one: ObjectForm, other: ObjectForm): ObjectForm {
  const named = new Map(one.named);
  for (const [name, form] of other.named) {
    const known = named.get(name);
    named.set(name, known === undefined ? form : { allOf: [known, form] });
  }
  return {
    named,
    others: one.others || other.others || (one.others ?? other.others),
  };
}

/** What a schema says of the names of an object's members. */
export interface MemberNames {
  /** The names that it has in each way in which an object fits. */
  readonly certain: ReadonlySet<string>;
  /** The names that it has in some way. */
  readonly possible: ReadonlySet<string>;
  /** Whether it may check members that it does not name, as a record does. */
  readonly mayCheckOthers: boolean;
  /** Whether it refuses members that it does not name. */
  readonly isStrict: boolean;
}

/** A contract is looked at once, however many routes it covers. */
const known = new WeakMap<StandardSchemaV1, MemberNames>();

/** The names of an object's members, by the JSON forms of its schema. */
export function memberNames(schema: StandardSchemaV1): MemberNames {
  let names = known.get(schema);
  if (names === undefined) known.set(schema, names = findNames(schema));
  return names;
}

function findNames(schema: StandardSchemaV1): MemberNames {
  const input = waysOf(schema, "input");
  // A transform has an input alone. A union of objects is clear in its output: there,
  // zod says which alternatives drop further members.
  const sides = [input, waysOf(schema, "output")].filter((ways) =>
    ways !== undefined
  );
  const all = sides.flat();
  const possible = new Set(all.flatMap(({ named }) => [...named.keys()]));
  const isCertain = (name: string) =>
    sides.some((ways) =>
      ways.some(({ named }) => named.has(name)) &&
      ways.every(({ named, others }) => named.has(name) || others === false)
    );
  return {
    certain: new Set([...possible].filter(isCertain)),
    possible,
    mayCheckOthers: sides.length === 0 ||
      all.some(({ others }) => others && Object.keys(others).length > 0),
    isStrict: input !== undefined && input.length > 0 &&
      input.every(({ others }) => others === false),
  };
}

function waysOf(
  schema: StandardSchemaV1,
  direction: Direction,
): ObjectForm[] | undefined {
  const form = lenientForm(schema, direction);
  return form && objectForms(form, form);
}
