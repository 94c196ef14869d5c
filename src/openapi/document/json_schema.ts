import { isObject } from "../../common/values.ts";
import {
  definitionName,
  type Direction,
  jsonFormOf,
  type JsonFormOptions,
} from "../../schema/json_schema.ts";
import type { StandardSchemaV1 } from "../../types/schema.ts";
import type { JsonSchema } from "../types.ts";
import { describeDates } from "./dates.ts";
import { mapKeywords, mapReferences } from "./schema_walk.ts";

/** What to do where a library lacks the interface, by its vendor name. */
const ADAPTERS: Readonly<Record<string, string>> = {
  valibot: 'wrap it with toStandardJsonSchema() of "@valibot/to-json-schema"',
};

/** How a schema is described. */
export interface JsonSchemaOptions {
  /** The side of it: what it takes, or what it returns. */
  readonly direction: Direction;
  /** A name for the schema, in case it refers to itself. */
  readonly name: string;
  /**
   * The side by which dates are described: as a text on the output side alone.
   *
   * @default {direction}
   */
  readonly dates?: Direction;
}

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
  { direction, name, dates = direction }: JsonSchemaOptions,
): JsonSchema {
  const { vendor } = schema["~standard"];
  const form = jsonFormOf(schema);
  if (form === undefined) {
    const advice = Object.hasOwn(ADAPTERS, vendor)
      ? ADAPTERS[vendor]
      : "use a library that has it, such as zod or ArkType";
    throw new TypeError(
      `"${vendor}" does not implement the Standard JSON Schema interface; ${advice}`,
    );
  }
  let json: unknown;
  try {
    const given = describeDates(
      (options: JsonFormOptions) => form[direction](options),
      { vendor, direction: dates },
    );
    // A cycle, say, is not JSON. It is found here, where the schema is known.
    json = JSON.parse(JSON.stringify(given) ?? "null");
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new TypeError(reason, { cause });
  }
  if (!isObject(json)) {
    throw new TypeError(
      `its JSON form is not an object: ${JSON.stringify(json)}`,
    );
  }
  return nameParts(mapKeywords(json, withoutNoise), name);
}

/** Leaves out the bounds that `z.int()` adds: those of JavaScript's own numbers. */
function withoutNoise(schema: JsonSchema): JsonSchema {
  if (schema.type !== "integer") return schema;
  const { minimum, maximum, ...rest } = schema;
  return {
    ...rest,
    ...(minimum !== undefined && minimum !== Number.MIN_SAFE_INTEGER &&
      { minimum }),
    ...(maximum !== undefined && maximum !== Number.MAX_SAFE_INTEGER &&
      { maximum }),
  };
}

/**
 * The names that libraries make up for definitions: `__schema0` in zod, `0` in
 * Valibot, and `intersection222` in ArkType, which depends on what was made before.
 */
const MADE_UP =
  /^(?:__schema|alias|domain|intersection|morph|proto|union)?\d+$/;

/**
 * Gives a name to what has none, and yet is referred to: the schema itself by `#`,
 * and parts of it. So a part of it, say one parameter, can stand alone.
 */
function nameParts(json: JsonSchema, name: string): JsonSchema {
  const { $schema: _, $defs = {}, ...root } = json;
  const definitions = Object.entries($defs as Record<string, JsonSchema>);
  const taken = new Set(definitions.map(([key]) => key));
  const free = (wanted: string): string => {
    let found = wanted;
    for (let count = 2; taken.has(found); count++) found = `${wanted}${count}`;
    taken.add(found);
    return found;
  };
  const names = new Map(
    definitions.map(([key]) =>
      [key, MADE_UP.test(key) ? free(`${name}Part`) : key] as const
    ),
  );
  let self: string | undefined;
  const relink = (schema: JsonSchema): JsonSchema =>
    mapReferences(schema, (reference) => {
      if (reference === "#") return `#/$defs/${self ??= free(name)}`;
      const key = keyOf(reference, names);
      return key === undefined ? reference : `#/$defs/${names.get(key)}`;
    });
  const relinked = relink(root);
  const named = Object.fromEntries(
    definitions.map(([key, schema]) => [names.get(key)!, relink(schema)]),
  );
  if (self !== undefined) {
    return {
      $ref: `#/$defs/${self as string}`,
      $defs: { ...named, [self as string]: relinked },
    };
  }
  return definitions.length === 0 ? relinked : { ...relinked, $defs: named };
}

/** The definition that a reference names, which may be escaped (RFC 6901). */
function keyOf(
  reference: string,
  names: ReadonlyMap<string, string>,
): string | undefined {
  const name = definitionName(reference);
  if (name === undefined || names.has(name)) return name;
  const unescaped = name.replaceAll("~1", "/").replaceAll("~0", "~");
  return names.has(unescaped) ? unescaped : undefined;
}

/**
 * A schema with its definitions in the places that refer to them, so that it stands
 * alone; `undefined` if it refers to itself.
 */
export function inlineSchema(
  { $defs = {}, ...root }: JsonSchema,
): JsonSchema | undefined {
  const definitions = $defs as Readonly<Record<string, JsonSchema>>;
  let isRecursive = false;
  function visit(schema: JsonSchema, around: readonly string[]): JsonSchema {
    return mapKeywords(schema, (part) => {
      const name = definitionName(part.$ref);
      if (name === undefined || !Object.hasOwn(definitions, name)) return part;
      isRecursive ||= around.includes(name);
      if (isRecursive) return part;
      const { $ref: _, ...rest } = part;
      const inlined = visit(definitions[name]!, [...around, name]);
      // What stands beside a reference holds in addition.
      return Object.keys(rest).length === 0
        ? inlined
        : { allOf: [inlined], ...rest };
    });
  }
  const inlined = visit(root, []);
  return isRecursive ? undefined : inlined;
}
