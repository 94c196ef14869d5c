import { isObject } from "../common/values.ts";
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

/** The maximum depth of references, unions and other combinations. */
export const MAX_DEPTH = 10;

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

/**
 * Describes inputs of `z.coerce` and `z.preprocess()` as any value, since an input may be
 * a string. Zod itself describes only the result.
 */
export function describeStrings({ zodSchema, jsonSchema }: ZodPart): void {
  const { coerce, in: input } = zodSchema._zod.def;
  if (!coerce && input?._zod.def.type !== "transform") return;
  for (const keyword in jsonSchema) delete jsonSchema[keyword];
}

/** A value as a JSON Schema with keywords; `undefined` for `true` and `false`. */
export function asForm(value: unknown): JsonSchema | undefined {
  return isObject(value) ? value : undefined;
}

/** Whether a JSON Schema accepts no value, as that of `z.never()`. */
export function isNever(form: unknown): boolean {
  return form === false || isObject(form) && isObject(form.not) &&
      Object.keys(form.not).length === 0;
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

/** The values that a JSON Schema lists, if it does. */
export function constantsOf(form: JsonSchema): readonly unknown[] | undefined {
  if ("const" in form) return [form.const];
  return Array.isArray(form.enum) ? form.enum : undefined;
}

/** A keyword whose value may be a list. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
