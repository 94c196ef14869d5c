import { isObject } from "../common/values.ts";
import type { StandardSchemaV1 } from "../types/schema.ts";
import {
  asForm,
  constantsOf,
  isBlank,
  isNever,
  jsonFormOf,
  type JsonSchema,
  listOf,
  MAX_DEPTH,
  partsOf,
} from "./json_schema.ts";

/** The types of JSON values, as bits of a mask. */
export const TYPES: Readonly<Record<string, number>> = {
  null: 1,
  boolean: 2,
  string: 4,
  // Every integer is a number, too.
  number: 24,
  integer: 16,
  array: 32,
  object: 64,
};
const ANY_TYPE = 127;

/** The bit of the type of a JSON value. */
export function typeBit(value: unknown): number {
  switch (typeof value) {
    case "boolean":
      return 2;
    case "string":
      return 4;
    case "number":
      return Number.isInteger(value) ? 16 : 8;
    case "object":
      return value === null ? 1 : Array.isArray(value) ? 32 : 64;
    default:
      return 0;
  }
}

/** One way in which a value may match a JSON Schema, which chooses a branch of each union. */
export interface Way {
  /** The allowed types, as a mask of {@linkcode TYPES}. */
  readonly types: number;
  /** The allowed values, if they are listed. */
  readonly constants: readonly unknown[] | undefined;
  /** The JSON Schemas that describe the members and items; all of them apply. */
  readonly parts: readonly JsonSchema[];
}

/** The keywords of objects and arrays. */
const CONTAINER = [
  ...["properties", "patternProperties", "additionalProperties"],
  ...["items", "prefixItems"],
];

/**
 * The ways in which a value may match a JSON Schema: two for `{ a } | { b }`. The list is
 * empty if no value can match.
 *
 * @param root The JSON Schema that resolves the references in `form`.
 */
export function waysOf(form: unknown, root: JsonSchema, depth = 0): Way[] {
  if (isNever(form) || depth > MAX_DEPTH) return [];
  const given = asForm(form) ?? {};
  const { all, unions } = partsOf(given, root);
  const isOwn = CONTAINER.some((keyword) => keyword in given) ||
    all.length + unions.length === 0;
  // A part may declare no values, such as a part that only requires members.
  const parts = [...unions, ...all.map((part) => [part])].filter((branches) =>
    !isOwn || !branches.every((part) => isObject(part) && isBlank(part))
  );
  return [
    ...parts.map((branches) =>
      branches.flatMap((part) => waysOf(part, root, depth + 1))
    ),
    [{ ...valuesOf(given), parts: isOwn ? [given] : [] }],
  ].reduce((all, ways) =>
    all.flatMap((one) => ways.map((other) => both(one, other)))
  ).filter(({ types }) => types !== 0);
}

/** Combines two ways into one, which allows only values that match both. */
function both(one: Way, other: Way): Way {
  return {
    types: one.types & other.types,
    constants: one.constants && other.constants
      ? one.constants.filter((value) => other.constants!.includes(value))
      : one.constants ?? other.constants,
    parts: [...one.parts, ...other.parts],
  };
}

/** The types and the constants of a JSON Schema. */
function valuesOf(form: JsonSchema): Pick<Way, "types" | "constants"> {
  const either = (bits: readonly number[]) =>
    bits.reduce((types, bit) => types | bit, 0);
  const { type } = form;
  const types = type !== undefined
    ? either([type].flat().map((each) => TYPES[String(each)] ?? 0))
    : namesMembers(form)
    ? TYPES.object!
    : "items" in form || "prefixItems" in form
    ? TYPES.array!
    : ANY_TYPE;
  const constants = constantsOf(form);
  if (constants === undefined) return { types, constants };
  // An object that is a constant declares all of its members.
  const areContainers = constants.some((value) => Object(value) === value);
  return {
    types: types & either(constants.map(typeBit)),
    constants: areContainers ? undefined : constants,
  };
}

function namesMembers(form: JsonSchema): boolean {
  return "properties" in form || "patternProperties" in form ||
    "additionalProperties" in form;
}

/** The members of an object that a JSON Schema declares, without its parts. */
export interface Members {
  readonly named: ReadonlyMap<string, JsonSchema>;
  /**
   * The members without a name: `{}` allows all of them. If there are none, the library
   * decides about other members: zod drops them, ArkType keeps them.
   */
  readonly others: readonly OtherMembers[];
  /** Whether other members are rejected. */
  readonly isStrict: boolean;
}

/** Members that a schema declares without their names. */
export interface OtherMembers {
  readonly form: JsonSchema;
  /** Whether a name may be one of them; by default, every name may be. */
  readonly allows?: ((name: string) => boolean) | undefined;
}

/** Reads the members that a JSON Schema declares. */
export function membersOf(form: JsonSchema): Members {
  const { properties, patternProperties, propertyNames } = form;
  const patterns = Object.entries(patternProperties ?? {})
    .map(([pattern, form]) => ({ form, allows: nameTest({ pattern }) }));
  const rest = form.additionalProperties ??
    (properties === undefined && patterns.length === 0 ? true : undefined);
  const isOpen = rest !== undefined && !isNever(rest);
  const other = { form: asForm(rest) ?? {}, allows: nameTest(propertyNames) };
  return {
    named: namedBy(form),
    others: isOpen ? [...patterns, other] : patterns,
    isStrict: rest !== undefined && !isOpen,
  };
}

/** The named members, including members that a record lists only by name. */
function namedBy(form: JsonSchema): Map<string, JsonSchema> {
  const { properties, required, propertyNames, additionalProperties } = form;
  const listed = [required, asForm(propertyNames)?.enum].flat()
    .filter((name) => typeof name === "string");
  return new Map([
    ...listed.map((name) =>
      [name, asForm(additionalProperties) ?? {}] as const
    ),
    ...Object.entries(properties ?? {}).map(([name, each]) =>
      [name, each === false ? { not: {} } : asForm(each) ?? {}] as const
    ),
  ]);
}

/** The test of the names that a JSON Schema allows; `undefined` if it allows all. */
function nameTest(form: unknown): OtherMembers["allows"] {
  // The names of `z.record(z.number(), value)` are numbers, which JSON writes as strings.
  if (!isObject(form)) return undefined;
  const { pattern, anyOf } = form;
  const constants = constantsOf(form);
  if (constants !== undefined) return (name) => constants.includes(name);
  if (typeof pattern === "string") {
    const expression = expressionOf(pattern);
    return (name) => expression.test(name);
  }
  const tests = listOf(anyOf).map(nameTest);
  return tests.length === 0 || tests.includes(undefined)
    ? undefined
    : (name) => tests.some((test) => test!(name));
}

/** The expression of a pattern, which may be valid only without the flag `u`. */
export function expressionOf(pattern: string): RegExp {
  try {
    return new RegExp(pattern, "u");
  } catch {
    return new RegExp(pattern);
  }
}

/**
 * The media type of a body with a schema. A schema such as `Problem` names the type;
 * otherwise, the type is plain text for a string and JSON for other values. The result
 * is `undefined` if the schema has no JSON Schema.
 */
export function mediaTypeOf(schema: StandardSchemaV1): string | undefined {
  const { mediaType } = schema as { readonly mediaType?: unknown };
  if (typeof mediaType === "string") return mediaType;
  try {
    const form = jsonFormOf(schema)?.output({ target: "draft-2020-12" });
    if (!isObject(form)) return undefined;
    return describesString(form) ? "text/plain" : "application/json";
  } catch {
    return undefined;
  }
}

/**
 * Whether a JSON Schema allows only strings. Libraries write `"a" | "b"` as an `enum`,
 * with or without a type, or as a union of two constants.
 */
export function describesString(form: JsonSchema): boolean {
  const ways = waysOf(form, form);
  return ways.length > 0 && ways.every(({ types }) => types === TYPES.string);
}
