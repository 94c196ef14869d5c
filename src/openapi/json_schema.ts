import type { StandardSchemaV1 } from "../http/validation/schema.ts";
import type { JsonSchema } from "./types.ts";

/** The side of a schema to describe: what it takes, or what it returns. */
export type Direction = "input" | "output";

/** The part of Standard JSON Schema (<https://standardschema.dev>) that is used. */
interface WithJsonSchema {
  readonly "~standard": {
    readonly jsonSchema?: {
      readonly [Name in Direction]: (
        options: { readonly target: string },
      ) => JsonSchema;
    };
  };
}

/** What to do where a library lacks the interface, by its vendor name. */
const ADAPTERS: Readonly<Record<string, string>> = {
  valibot: 'wrap it with toStandardJsonSchema() of "@valibot/to-json-schema"',
};

/**
 * The JSON form of a schema, in draft 2020-12.
 *
 * It comes from the Standard JSON Schema interface alone. Zod and ArkType
 * implement it, and Valibot does so through its adapter.
 *
 * @throws {TypeError} If the schema, or a part of it, has no JSON form.
 */
export function toJsonSchema(
  schema: StandardSchemaV1,
  direction: Direction,
): JsonSchema {
  const { vendor } = schema["~standard"];
  const { jsonSchema } = (schema as WithJsonSchema)["~standard"];
  if (jsonSchema === undefined) {
    const advice = Object.hasOwn(ADAPTERS, vendor)
      ? ADAPTERS[vendor]
      : "use a library that has it, such as zod or ArkType";
    throw new TypeError(
      `"${vendor}" does not implement the Standard JSON Schema interface; ${advice}`,
    );
  }
  let json: unknown;
  try {
    const given = jsonSchema[direction]({ target: "draft-2020-12" });
    // A cycle, say, is not JSON. It is found here, where the schema is known.
    json = JSON.parse(JSON.stringify(given) ?? "null");
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new TypeError(reason, { cause });
  }
  if (typeof json !== "object" || json === null || Array.isArray(json)) {
    throw new TypeError(
      `its JSON form is not an object: ${JSON.stringify(json)}`,
    );
  }
  return json as JsonSchema;
}

/**
 * The schema itself, where a JSON Schema is only a reference to one of its own
 * definitions. Zod writes a schema with an id in this form.
 */
export function resolveRoot(json: JsonSchema): JsonSchema {
  const name = definitionName(json.$ref);
  if (name === undefined) return json;
  const $defs = (json.$defs ?? {}) as Readonly<Record<string, JsonSchema>>;
  return { ...(Object.hasOwn($defs, name) && $defs[name]), $defs };
}

/** The name in a reference to a definition: `#/$defs/Book` gives `Book`. */
export function definitionName(reference: unknown): string | undefined {
  return typeof reference === "string"
    ? /^#\/\$defs\/(.+)$/.exec(reference)?.[1]
    : undefined;
}

/** A copy of a JSON value in which every `$ref` is mapped. */
export function mapReferences<T>(
  value: T,
  map: (reference: string) => string,
): T {
  return JSON.parse(
    JSON.stringify(value),
    (key, inner) =>
      key === "$ref" && typeof inner === "string" ? map(inner) : inner,
  );
}
