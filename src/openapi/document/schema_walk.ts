import { isObject } from "../../common/values.ts";
import type { JsonSchema } from "../types.ts";

/** Keywords whose value is data, in which nothing is a schema. */
const DATA = new Set(["const", "default", "enum", "example", "examples"]);

/** Members whose value is a map, so that its keys are names and no keywords. */
const MAPS = new Set([
  "$defs",
  "content",
  "dependentSchemas",
  "headers",
  "paths",
  "patternProperties",
  "properties",
  "responses",
]);

/**
 * A copy of a JSON value in which every schema is mapped, innermost first: also the
 * schemas of a whole document. Data, such as a `default`, is left as it is.
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

/** A copy of a JSON value in which every `$ref` of a schema is mapped. */
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
