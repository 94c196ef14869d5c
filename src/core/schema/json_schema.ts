import { getOrCompute, isObject } from "../common/values.ts";
import type { StandardSchemaV1 } from "../types/schema.ts";

/** A JSON Schema of draft 2020-12, as in OpenAPI 3.1. */
export interface JsonSchema {
  /** A keyword of JSON Schema. */
  readonly [keyword: string]: unknown;
}

/** The side of a schema to describe. */
export type Direction = "input" | "output";

/** The options with which a library describes one of its schemas. */
export interface JsonFormOptions {
  /** The version of JSON Schema. */
  readonly target: string;
  /** Options of the library itself. */
  readonly libraryOptions?: Readonly<Record<string, unknown>>;
}

/** The part of Standard JSON Schema (<https://standardschema.dev>) that Bough uses. */
interface WithJsonSchema {
  readonly "~standard": {
    readonly jsonSchema?: {
      readonly [Name in Direction]: (options: JsonFormOptions) => JsonSchema;
    };
  };
}

/**
 * The functions of a schema that describe its input and its output as JSON Schema,
 * if its library has them.
 */
export function jsonFormOf(
  schema: StandardSchemaV1,
): WithJsonSchema["~standard"]["jsonSchema"] {
  return (schema as WithJsonSchema)["~standard"].jsonSchema;
}

/**
 * Creates the members of a schema whose input and output have one description.
 *
 * @param vendor The library. The name `bough` is reserved for `Problem`.
 */
export function describedSchema<Input, Output>(
  vendor: string,
  validate: StandardSchemaV1<Input, Output>["~standard"]["validate"],
  describe: (options: JsonFormOptions) => JsonSchema,
): StandardSchemaV1<Input, Output>["~standard"] & WithJsonSchema["~standard"] {
  const jsonSchema = { input: describe, output: describe };
  return { version: 1, vendor, validate, jsonSchema };
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

/** The maximum depth of references, unions and other combinations. */
export const MAX_DEPTH = 10;

/**
 * Whether a JSON Schema allows only strings. Libraries write `"a" | "b"` as an `enum`,
 * with or without a type, or as a union of two constants.
 */
export function describesString(form: JsonSchema, depth = 0): boolean {
  const { type, const: constant, enum: values, anyOf, oneOf, $defs } =
    resolveRoot(form);
  if (type !== undefined) return type === "string";
  if (constant !== undefined) return typeof constant === "string";
  const isString = (value: unknown): boolean => typeof value === "string";
  if (Array.isArray(values)) return values.length > 0 && values.every(isString);
  const members = anyOf ?? oneOf;
  // A union may contain itself.
  return Array.isArray(members) && members.length > 0 && depth < MAX_DEPTH &&
    members.every((member: JsonSchema) =>
      describesString({ $defs, ...member }, depth + 1)
    );
}

/**
 * If a JSON Schema only refers to one of its own definitions, returns the definition.
 * Zod writes a schema with an id as such a reference.
 */
export function resolveRoot(form: JsonSchema): JsonSchema {
  const { $ref, $defs = {} } = form;
  return definitionName($ref) === undefined
    ? form
    : { ...asForm(targetOf($ref, { $defs })), $defs };
}

/**
 * The name in a reference to a definition: `#/$defs/Book` gives `Book`. If no definition
 * has the name, returns the name without the escapes of RFC 6901.
 */
export function definitionName(
  reference: unknown,
  definitions?: unknown,
): string | undefined {
  if (typeof reference !== "string") return undefined;
  const name = /^#\/\$defs\/(.+)$/.exec(reference)?.[1];
  return name === undefined || Object.hasOwn(Object(definitions), name)
    ? name
    : withoutEscapes(name);
}

/**
 * The part of a document to which a reference refers, such as `#/$defs/Book`;
 * `undefined` if the document has no such part.
 */
export function targetOf(reference: unknown, root: unknown): unknown {
  if (typeof reference !== "string" || !/^#(?:\/|$)/.test(reference)) return;
  const own = (value: unknown, key: string): unknown =>
    isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  // Libraries may leave a name such as `a/b` or `50%` without escapes.
  const definitions = own(root, "$defs");
  const name = definitionName(reference, definitions);
  const known = name === undefined ? undefined : own(definitions, name);
  if (known !== undefined) return known;
  try {
    return decodeURIComponent(reference).split("/").slice(1)
      .map(withoutEscapes).reduce(own, root);
  } catch {
    // A percent escape is malformed.
    return undefined;
  }
}

/** A name as a step of a JSON pointer (RFC 6901): `a~1b` for `a/b`. */
export function pointerStep(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}

/** The name that a step of a JSON pointer refers to: `a/b` for `a~1b`. */
export function withoutEscapes(step: string): string {
  return step.replaceAll("~1", "/").replaceAll("~0", "~");
}

/** One way in which an object may match a JSON Schema. */
export interface ObjectForm {
  /** The JSON Schema of each named member. */
  readonly named: ReadonlyMap<string, JsonSchema>;
  /** The names of the required members. */
  readonly required: ReadonlySet<unknown>;
  /**
   * The JSON Schema of all other members: `{}` allows them, `false` rejects them. If
   * `others` is `undefined`, the library decides: zod drops such members, ArkType keeps
   * them.
   */
  readonly others: JsonSchema | false | undefined;
}

/**
 * The keyword that names the type of a part for which JSON Schema has no keywords, such
 * as `bigint` or `custom`.
 */
export const UNDESCRIBED = "~type";

/** The keywords that declare values. */
const DECLARING = [
  ...["$ref", "allOf", "anyOf", "oneOf", "not", "type", "const", "enum"],
  ...["properties", "patternProperties", "additionalProperties"],
  ...["items", "prefixItems"],
];

/** Whether a JSON Schema declares no values, and so allows all of them. */
export function isBlank(form: JsonSchema): boolean {
  return !DECLARING.some((keyword) => keyword in form);
}

/** The JSON Schema of the string to which JSON converts a `Date`. */
export const DATE: JsonSchema = { type: "string", format: "date-time" };

/** The types without a JSON Schema whose values have no members in JSON. */
const CLOSED: ReadonlySet<string> = new Set(
  ["bigint", "date", "function", "literal", "map", "nan", "picklist", "set"]
    .concat("symbol", "undefined", "void"),
);

/** Describes a part of a type for which JSON Schema has no keywords. */
function undescribed(type: string): JsonSchema {
  const form = type === "date"
    ? DATE
    : CLOSED.has(type) && { type: ["number", "string", "null"] };
  return { ...form, [UNDESCRIBED]: type };
}

/**
 * Describes one side of a schema as JSON Schema: all that the library can describe. The
 * other parts have the keyword {@linkcode UNDESCRIBED}. If JSON of their values has no
 * members, the parts have the types of this JSON, too.
 *
 * @param extend Changes the JSON Schema of each part of a schema of zod.
 * @returns `undefined` if the library has no JSON Schema.
 * @throws {unknown} The error of the library.
 */
export function describeSchema(
  schema: StandardSchemaV1,
  direction: Direction,
  extend?: (part: ZodPart) => void,
): unknown {
  return jsonFormOf(schema)?.[direction]({
    target: "draft-2020-12",
    libraryOptions: {
      unrepresentable: "any",
      override(part: ZodPart): void {
        describeZodPart(part);
        extend?.(part);
      },
      errorMode: "ignore",
      overrideSchema: describeValibotPart,
      // The output of a transformation may be of another type.
      overrideAction: (
        { valibotAction: { kind, type }, errors }: ValibotAction,
      ) =>
        errors && kind === "transformation" && direction === "output"
          ? { [UNDESCRIBED]: type }
          : undefined,
      fallback: describeArkPart,
    },
  });
}

/** A part of a schema of zod, and its JSON Schema, which may be extended. */
export interface ZodPart {
  readonly zodSchema: {
    readonly _zod: { readonly def: ZodDefinition };
    readonly meta?: () => JsonSchema | undefined;
  };
  readonly jsonSchema: Record<string, unknown>;
}

/** The definition of a schema, or of a check, of zod. */
export interface ZodDefinition {
  readonly type?: string;
  readonly coerce?: boolean;
  readonly check?: string;
  readonly transform?: unknown;
  readonly checks?: readonly ZodPart["zodSchema"][];
  readonly in?: ZodPart["zodSchema"];
}

function describeZodPart({ zodSchema, jsonSchema }: ZodPart): void {
  const { type = "", coerce } = zodSchema._zod.def;
  // `.readonly()` is about objects of TypeScript. Clients would not send the member.
  if (type === "readonly" && !zodSchema.meta?.()?.readOnly) {
    delete jsonSchema.readOnly;
  }
  const isKnown = !CLOSED.has(type) && type !== "custom" &&
    type !== "transform";
  if (isKnown || !isBlank(jsonSchema)) return;
  // `z.coerce.date()` accepts a string; `z.date()` accepts no JSON.
  const isText = type === "date" && coerce;
  Object.assign(jsonSchema, isText ? DATE : undescribed(type));
}

interface ValibotAction {
  readonly valibotAction: { readonly kind: string; readonly type: string };
  /** Why Valibot cannot describe the action. */
  readonly errors?: readonly string[];
}

function describeValibotPart({ valibotSchema: { type }, jsonSchema, errors }: {
  readonly valibotSchema: { readonly type: string };
  readonly jsonSchema: JsonSchema;
  readonly errors?: readonly string[];
}): JsonSchema {
  return {
    // Valibot describes loose objects and tuples like strict ones.
    ...type === "loose_object" && { additionalProperties: {} },
    ...type === "loose_tuple" && { items: {} },
    ...jsonSchema,
    ...errors && isBlank(jsonSchema) && undescribed(type),
  };
}

/** A part of a schema of ArkType that JSON Schema cannot represent. */
interface ArkPart {
  readonly code: string;
  readonly base: JsonSchema;
  /** The type of a primitive, such as `bigint`. */
  readonly domain?: string;
  /** The constant. */
  readonly unit?: unknown;
  /** The class of an object. */
  readonly proto?: { readonly name: string };
  /** The last items of an array. */
  readonly elements?: readonly JsonSchema[];
}

function describeArkPart(
  { code, base, domain = "date", unit, proto, elements }: ArkPart,
): JsonSchema {
  if (code === "arrayPostfix") {
    return { ...base, items: { anyOf: [base.items, ...elements!] } };
  }
  const types: Readonly<Record<string, string | undefined>> = {
    domain,
    date: domain,
    unit: Object(unit) === unit ? "instance" : "literal",
    proto: proto?.name.toLowerCase(),
  };
  const type = types[code];
  return type !== undefined && isBlank(base)
    ? { ...base, ...undescribed(type) }
    : base;
}

/**
 * Like {@linkcode describeSchema}; `undefined` if the library does not provide a JSON
 * Schema of the whole.
 */
export function lenientForm(
  schema: StandardSchemaV1,
  direction: Direction,
  extend?: (part: ZodPart) => void,
): JsonSchema | undefined {
  try {
    return asForm(describeSchema(schema, direction, extend));
  } catch {
    return undefined;
  }
}

function asForm(value: unknown): JsonSchema | undefined {
  return isObject(value) ? value : undefined;
}

/**
 * The ways in which an object may match a JSON Schema: two for `{ a } | { b }`. The
 * list is empty if no object can match.
 *
 * @param root The JSON Schema that resolves the references in `form`.
 */
export function objectForms(
  form: JsonSchema,
  root: JsonSchema,
  depth = 0,
): ObjectForm[] {
  const { type, properties, patternProperties } = form;
  const mayFit = type === undefined || [type].flat().includes("object");
  if (!mayFit || "const" in form || "enum" in form || depth > MAX_DEPTH) {
    return [];
  }
  const below = (inner: unknown): ObjectForm[] =>
    inner === false ? [] : objectForms(asForm(inner) ?? {}, root, depth + 1);
  const { all, unions } = partsOf(form, root);
  const parts = [
    ...unions.map((branches) => branches.flatMap(below)),
    ...all.map(below),
  ];
  const patterns = Object.values(patternProperties ?? {});
  const others = form.additionalProperties ??
    (patterns.length > 0 ? { anyOf: patterns } : undefined);
  if (parts.length === 0 || properties !== undefined || others !== undefined) {
    parts.push([{
      named: namedBy(form),
      required: new Set(listOf(form.required)),
      others: others === false ? false : asForm(others) ??
        (others === true || properties === undefined ? {} : undefined),
    }]);
  }
  return parts.reduce((all, ways) =>
    all.flatMap((one) => ways.map((other) => both(one, other)))
  );
}

/** The parts of a JSON Schema: a value must fit each of `all`, and one of each union. */
export function partsOf(
  { $ref, allOf, anyOf, oneOf }: JsonSchema,
  root: JsonSchema,
): {
  readonly all: readonly unknown[];
  readonly unions: readonly (readonly unknown[])[];
} {
  const target = $ref === undefined ? [] : [targetOf($ref, root)];
  const unions = [anyOf, oneOf].filter(Array.isArray);
  return { all: [...target, ...listOf(allOf)], unions };
}

/** Whether a value fits a JSON Schema by its parts; `fits` says whether it fits one part. */
export function fitsParts(
  form: JsonSchema,
  root: JsonSchema,
  fits: (part: unknown) => boolean,
): boolean {
  const { all, unions } = partsOf(form, root);
  return all.every(fits) && unions.every((branches) => branches.some(fits));
}

/** The values that a JSON Schema lists, if it does. */
export function constantsOf(form: JsonSchema): readonly unknown[] | undefined {
  if ("const" in form) return [form.const];
  return Array.isArray(form.enum) ? form.enum : undefined;
}

const MAX_FIT_DEPTH = 30;

/**
 * Whether a JSON value fits a JSON Schema, by the keywords that distinguish the branches
 * of unions.
 *
 * @param root The JSON Schema that resolves the references in `form`.
 * @param depth The references, parts and members above. Below a limit, every value fits, so
 * that the union at each level of a deep value need not read the whole value.
 */
export function fitsForm(
  form: unknown,
  value: unknown,
  root: JsonSchema,
  depth = 0,
): boolean {
  if (!isObject(form)) return form !== false;
  if (depth > MAX_FIT_DEPTH) return true;
  const fits = (inner: unknown, each: unknown) =>
    fitsForm(inner, each, root, depth + 1);
  const { type, required } = form;
  const constants = constantsOf(form)?.map((each) => JSON.stringify(each));
  const isPossible =
    (type === undefined || [type].flat().some((each) => isType(value, each))) &&
    (constants?.includes(JSON.stringify(value)) ?? true) &&
    (form.not === undefined || !fits(form.not, value)) &&
    fitsParts(form, root, (part) => fits(part, value));
  if (!isPossible) return false;
  if (Array.isArray(value)) {
    const first = listOf(form.prefixItems);
    const { minItems = 0 } = form;
    return value.length >= Number(minItems) &&
      value.every((item, index) =>
        fits(index < first.length ? first[index] : form.items, item)
      );
  }
  if (!isObject(value)) return isWithin(value, form);
  const properties = asForm(form.properties) ?? {};
  const others = form.patternProperties ?? form.additionalProperties;
  return listOf(required).every((name) => Object.hasOwn(value, String(name))) &&
    Object.entries(value).every(([name, each]) =>
      fits(Object.hasOwn(properties, name) ? properties[name] : others, each)
    );
}

/** Whether a member of a query is a list: it accepts a list, and no string. */
export function isQueryList(form: unknown, root: JsonSchema): boolean {
  return acceptsType("array", form, root) && !acceptsType("string", form, root);
}

/** Whether a JSON Schema accepts any value of a type; `strings` is a list of strings. */
export function acceptsType(
  type: "array" | "string" | "strings",
  form: unknown,
  root: JsonSchema,
  depth = 0,
): boolean {
  if (!isObject(form)) return form !== false;
  const json = type === "strings" ? "array" : type;
  const { type: types = json, items, prefixItems } = form;
  return depth <= MAX_DEPTH && [types].flat().includes(json) &&
    (constantsOf(form)?.some((each) => isType(each, json)) ?? true) &&
    fitsParts(form, root, (part) => acceptsType(type, part, root, depth + 1)) &&
    (type !== "strings" ||
      [items || {}, ...listOf(prefixItems)].every((item) =>
        acceptsType("string", item, root, depth + 1)
      ));
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function isType(value: unknown, type: unknown): boolean {
  if (value === null) return type === "null";
  if (Array.isArray(value)) return type === "array";
  const kind = typeof value;
  return type === "integer" ? Number.isInteger(value) : kind === type;
}

/** Whether a number or a string is within the limits of a JSON Schema. */
function isWithin(value: unknown, form: JsonSchema): boolean {
  const { pattern, minLength = 0, maxLength = Infinity } = form;
  if (typeof value === "string") {
    const { length } = [...value];
    return length >= Number(minLength) && length <= Number(maxLength) &&
      (typeof pattern !== "string" || matches(pattern, value));
  }
  if (typeof value !== "number") return true;
  const { minimum = value, maximum = value } = form;
  const { exclusiveMinimum = -Infinity, exclusiveMaximum = Infinity } = form;
  return value >= Number(minimum) && value <= Number(maximum) &&
    value > Number(exclusiveMinimum) && value < Number(exclusiveMaximum);
}

/** Whether a string matches a pattern, which may be valid only without the flag `u`. */
function matches(pattern: string, value: string): boolean {
  try {
    return new RegExp(pattern, "u").test(value);
  } catch {
    return new RegExp(pattern).test(value);
  }
}

/** The named members, including members that a record lists only by name. */
export function namedBy(form: JsonSchema): Map<string, JsonSchema> {
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

/** The names of all members that any way lists. */
export function namesOf(ways: readonly ObjectForm[]): Set<string> {
  return new Set(ways.flatMap(({ named }) => [...named.keys()]));
}

/** Combines two ways into one, which allows only objects that match both. */
function both(one: ObjectForm, other: ObjectForm): ObjectForm {
  const named = new Map(one.named);
  for (const [name, form] of other.named) {
    const known = named.get(name);
    named.set(name, known === undefined ? form : { allOf: [known, form] });
  }
  return {
    named,
    required: new Set([...one.required, ...other.required]),
    others: one.others || other.others || (one.others ?? other.others),
  };
}

/** The names of the members of an object, according to its schema. */
export interface NamedMembers {
  /** The names that the schema lists in every way in which an object may match. */
  readonly certain: ReadonlySet<string>;
  /** The names that the schema lists in at least one way. */
  readonly possible: ReadonlySet<string>;
  /** Whether the schema may check members that it does not name, as a record does. */
  readonly mayCheckOthers: boolean;
  /** Whether the schema rejects members that it does not name. */
  readonly isStrict: boolean;
}

/** A cache, since one contract may cover many routes. */
const known = new WeakMap<StandardSchemaV1, NamedMembers>();

/** The names of an object's members, according to the JSON Schemas of its schema. */
export function namedMembers(schema: StandardSchemaV1): NamedMembers {
  return getOrCompute(known, schema, findNames);
}

function findNames(schema: StandardSchemaV1): NamedMembers {
  const input = waysOf(schema, "input");
  // A schema with a transform describes only its input. For a union of objects, only
  // the output of zod shows which alternatives drop further members.
  const sides = [input, waysOf(schema, "output")].filter((ways) =>
    ways !== undefined
  );
  const all = sides.flat();
  const possible = namesOf(all);
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
