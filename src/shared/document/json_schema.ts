import { isObject, messageOf } from "../../core/common/values.ts";
import {
  DATE,
  definitionName,
  describeSchema,
  type Direction,
  jsonFormOf,
  type JsonSchema,
  resolveRoot,
  UNDESCRIBED,
} from "../../core/schema/json_schema.ts";
import type { StandardSchemaV1 } from "../../core/types/schema.ts";

/**
 * Converts a schema to JSON Schema, draft 2020-12. A part that JSON Schema cannot
 * describe allows any value. In responses, dates are strings.
 *
 * The schema must implement the Standard JSON Schema interface. Zod and ArkType
 * implement this interface; Valibot requires its adapter.
 *
 * @param options `direction` is the side to describe, input or output. `name` is the
 * name of a recursive schema. `warn` receives a fault for each type that JSON Schema
 * cannot describe.
 * @throws {TypeError} If the library has no JSON Schema, or fails.
 */
export function toJsonSchema(
  schema: StandardSchemaV1,
  { direction, name, warn }: {
    readonly direction: Direction;
    readonly name: string;
    readonly warn?: (fault: string) => void;
  },
): JsonSchema {
  const json = formOf(schema, direction);
  const isKnown = (type: unknown) =>
    type === undefined || type === "date" && direction === "output";
  const { [UNDESCRIBED]: whole } = resolveRoot(json);
  if (!isKnown(whole)) {
    throw new TypeError(`JSON Schema cannot describe the type "${whole}"`);
  }
  const undescribed = new Set<unknown>();
  const described = mapKeywords(json, (form) => {
    const { [UNDESCRIBED]: part, type: _type, format: _format, ...rest } = form;
    if (part === undefined) return withoutNoise(form);
    if (isKnown(part)) return { ...rest, ...DATE };
    undescribed.add(part);
    return rest;
  });
  for (const type of undescribed) {
    warn?.(
      `has a part of type "${type}", which JSON Schema cannot describe, so the document allows any value there`,
    );
  }
  return nameParts(described, name);
}

/** The JSON Schema of a library, without the defaults that differ between two calls. */
function formOf(schema: StandardSchemaV1, direction: Direction): JsonSchema {
  const { vendor } = schema["~standard"];
  if (jsonFormOf(schema) === undefined) {
    const advice = vendor === "valibot"
      ? 'wrap it with toStandardJsonSchema() of "@valibot/to-json-schema"'
      : "use a library that implements this interface, such as zod or ArkType";
    throw new TypeError(
      `"${vendor}" does not implement the Standard JSON Schema interface; ${advice}`,
    );
  }
  // A cycle, for example, throws here, where the error can name the schema.
  const describe = () =>
    JSON.stringify(describeSchema(schema, direction)) ?? "null";
  let json: unknown;
  try {
    const text = describe();
    json = JSON.parse(text);
    if (text.includes('"default":')) {
      // A default that is the time differs after a millisecond. Reading the clock in a
      // loop would never end in contract tests, which stop the clock.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
      json = withSameDefaults(json, JSON.parse(describe()));
    }
  } catch (cause) {
    throw new TypeError(messageOf(cause), { cause });
  }
  if (isObject(json)) return json;
  throw new TypeError(
    `"${vendor}" returned ${JSON.stringify(json)} instead of an object`,
  );
}

/**
 * Removes the defaults that differ between two descriptions of a schema, such as a random
 * id or the time. Libraries call the function that makes such a default.
 */
function withSameDefaults(json: unknown, other: unknown): unknown {
  const others: unknown[] = [];
  mapKeywords(other, (schema) => {
    others.push(schema.default);
    return schema;
  });
  let index = 0;
  return mapKeywords(json, (schema) => {
    const { default: value, ...rest } = schema;
    const isSame = JSON.stringify(value) === JSON.stringify(others[index++]);
    return isSame ? schema : rest;
  });
}

/** Removes the limits of safe integers, which `z.int()` adds. */
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
 * The names that libraries generate for definitions: `__schema0` in zod, `0` in Valibot,
 * and `intersection222` in ArkType, whose number depends on earlier schemas.
 */
const GENERATED =
  /^(?:__schema|alias|domain|intersection|morph|proto|union)?\d+$/;

/**
 * Names the parts to which references refer: the schema itself for `#`, and unnamed
 * definitions. Each part, such as one parameter, can then be used separately.
 */
function nameParts(json: JsonSchema, name: string): JsonSchema {
  const { $schema: _, $defs = {}, ...root } = json;
  const definitions = Object.entries($defs as Record<string, JsonSchema>);
  const taken = new Set(definitions.map(([key]) => key));
  const names = new Map(
    definitions.map(([key]) =>
      [key, GENERATED.test(key) ? freeName(`${name}Part`, taken) : key] as const
    ),
  );
  let self: string | undefined;
  const relink = (schema: JsonSchema): JsonSchema =>
    mapReferences(schema, (reference) => {
      if (reference === "#") return `#/$defs/${self ??= freeName(name, taken)}`;
      const named = names.get(definitionName(reference, $defs) ?? "");
      return named === undefined ? reference : `#/$defs/${named}`;
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

/** Returns a free name, such as `Book` or `Book2`, and marks the name as taken. */
export function freeName(wanted: string, taken: Set<string>): string {
  let name = wanted;
  for (let count = 2; taken.has(name); count++) name = `${wanted}${count}`;
  taken.add(name);
  return name;
}

/**
 * Adds a value under the wanted name; if a different value has the name, appends a
 * number. Returns the final name.
 */
export function addNamed(
  known: Map<string, unknown>,
  wanted: string,
  value: unknown,
): string {
  const text = JSON.stringify(value);
  for (let count = 1;; count++) {
    const name = count === 1 ? wanted : `${wanted}${count}`;
    if (!known.has(name)) known.set(name, value);
    if (JSON.stringify(known.get(name)) === text) return name;
  }
}

/** Replaces references with their definitions; `undefined` if the schema is recursive. */
export function inlineSchema(
  { $defs = {}, ...root }: JsonSchema,
): JsonSchema | undefined {
  const definitions = $defs as Readonly<Record<string, JsonSchema>>;
  let isRecursive = false;
  function visit(schema: JsonSchema, around: readonly string[]): JsonSchema {
    return mapKeywords(schema, (part) => {
      const name = definitionName(part.$ref, definitions);
      if (name === undefined || !Object.hasOwn(definitions, name)) return part;
      isRecursive ||= around.includes(name);
      if (isRecursive) return part;
      const { $ref: _, ...rest } = part;
      const inlined = visit(definitions[name]!, [...around, name]);
      // Keywords next to a reference apply in addition to the definition.
      return Object.keys(rest).length === 0
        ? inlined
        : { allOf: [inlined], ...rest };
    });
  }
  const inlined = visit(root, []);
  return isRecursive ? undefined : inlined;
}

/** Keywords whose value is data, which contains no schemas. */
export const DATA: ReadonlySet<string> = new Set(
  ["const", "default", "enum", "example", "examples"],
);

/** Members whose value is a map, in which keys are names, not keywords. */
export const MAPS: ReadonlySet<string> = new Set(
  ["$defs", "content", "dependentSchemas", "headers", "paths"]
    .concat("patternProperties", "properties", "responses", "schemas"),
);

/**
 * Copies a JSON value, such as a whole document, and maps every schema in it, innermost
 * first. Data, such as a `default`, is not changed.
 */
export function mapKeywords<T>(
  value: T,
  map: (schema: JsonSchema) => JsonSchema,
): T {
  function visit(value: unknown, isMap: boolean): unknown {
    if (Array.isArray(value)) return value.map((each) => visit(each, false));
    if (!isObject(value)) return value;
    const copy = Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [
        key,
        !isMap && DATA.has(key) ? inner : visit(inner, !isMap && MAPS.has(key)),
      ]),
    );
    return isMap ? copy : map(copy);
  }
  return visit(value, false) as T;
}

/** Copies a JSON value, and maps every `$ref` of a schema in it. */
export function mapReferences<T>(
  value: T,
  map: (reference: string) => string,
): T {
  return mapKeywords(
    value,
    (schema) =>
      typeof schema.$ref === "string"
        ? { ...schema, $ref: map(schema.$ref) }
        : schema,
  );
}

/** The start of a reference to a named schema of a document. */
export const COMPONENT = "#/components/schemas/";

const REFERENCES = /"\$ref":"#\/components\/schemas\/([^"]*)"/g;

/** The names of the schemas to which the JSON of a schema refers. */
export function componentsIn(json: string): Set<string> {
  return new Set(json.matchAll(REFERENCES).map(([, name]) => name!));
}

/** The given names, and all names to which they lead. */
export function reachableNames(
  names: Iterable<string>,
  next: (name: string) => Iterable<string>,
): Set<string> {
  const all = new Set(names);
  // The loop visits the names that it adds.
  for (const name of all) for (const other of next(name)) all.add(other);
  return all;
}
