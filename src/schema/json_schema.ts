import type { StandardSchemaV1 } from "../types/schema.ts";

/** A JSON Schema of draft 2020-12. */
export interface JsonForm {
  /** A keyword of JSON Schema. */
  readonly [keyword: string]: unknown;
}

/** The side of a schema to describe: what it takes, or what it returns. */
export type Direction = "input" | "output";

/** What a library needs to know to describe one of its schemas. */
export interface JsonFormOptions {
  /** The version of JSON Schema. */
  readonly target: string;
  /** Options of the library itself. */
  readonly libraryOptions?: Readonly<Record<string, unknown>>;
}

/** The part of Standard JSON Schema (<https://standardschema.dev>) that is used. */
interface WithJsonSchema {
  readonly "~standard": {
    readonly jsonSchema?: {
      readonly [Name in Direction]: (options: JsonFormOptions) => JsonForm;
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
 * The media type of a body that has a schema: that which the schema names itself, as
 * `Problem` does, plain text for a string, and JSON for all else. It is `undefined`
 * where the schema has no JSON form.
 */
export function mediaTypeOf(schema: StandardSchemaV1): string | undefined {
  const { mediaType } = schema as { readonly mediaType?: unknown };
  if (typeof mediaType === "string") return mediaType;
  try {
    const form = jsonFormOf(schema)?.output({ target: "draft-2020-12" });
    if (typeof form !== "object" || form === null) return undefined;
    return isText(form) ? "text/plain" : "application/json";
  } catch {
    return undefined;
  }
}

/** How deep unions in unions are looked into. */
const MAX_DEPTH = 10;

/**
 * Whether a JSON Schema allows texts alone. Libraries write `"a" | "b"` as an `enum`,
 * with or without a type, or as a union of two constants.
 */
export function isText(form: JsonForm, depth = 0): boolean {
  const { type, const: constant, enum: values, anyOf, oneOf, $defs } =
    resolveRoot(form);
  if (type !== undefined) return type === "string";
  if (constant !== undefined) return typeof constant === "string";
  const isString = (value: unknown): boolean => typeof value === "string";
  if (Array.isArray(values)) return values.length > 0 && values.every(isString);
  const members = anyOf ?? oneOf;
  // A union may hold itself.
  return Array.isArray(members) && members.length > 0 && depth < MAX_DEPTH &&
    members.every((member: JsonForm) =>
      isText({ $defs, ...member }, depth + 1)
    );
}

/**
 * The schema itself, where a JSON Schema is only a reference to one of its own
 * definitions. Zod writes a schema with an id in this form.
 */
export function resolveRoot(form: JsonForm): JsonForm {
  const name = definitionName(form.$ref);
  if (name === undefined) return form;
  const $defs = (form.$defs ?? {}) as Readonly<Record<string, JsonForm>>;
  return { ...(Object.hasOwn($defs, name) && $defs[name]), $defs };
}

/** The name in a reference to a definition: `#/$defs/Book` gives `Book`. */
export function definitionName(reference: unknown): string | undefined {
  return typeof reference === "string"
    ? /^#\/\$defs\/(.+)$/.exec(reference)?.[1]
    : undefined;
}
