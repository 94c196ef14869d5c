import { groupBy, isObject } from "../../core/common/values.ts";
import type { UrlSegment } from "../../core/routing/pattern.ts";
import { type JsonSchema, resolveRoot } from "../../core/schema/json_schema.ts";
import { flatten } from "../flat_schema.ts";
import type { Parameter, ResponseHeader } from "../types.ts";

/** Headers that OpenAPI ignores as parameters, since other members describe them. */
const RESERVED_HEADERS = new Set(["accept", "content-type", "authorization"]);

/** A URL pattern as a path of OpenAPI: `/files/{id}/{wildcard}` for `/files/[id]/[...]`. */
export function pathTemplate(segments: readonly UrlSegment[]): string {
  return "/" + segments.map((segment) => {
    if (segment.kind === "static") return encodeURIComponent(segment.text);
    const isNamed = segment.kind === "dynamic";
    return `{${isNamed ? segment.name : wildcardName(segments)}}`;
  }).join("/");
}

/** A parameter in a path of OpenAPI. */
export const PATH_PARAMETER = /\{([^}]*)\}/g;

/** A path of OpenAPI without the names of its parameters: `/files/{}/{}`. */
export function unnamed(path: string): string {
  return path.replaceAll(PATH_PARAMETER, "{}");
}

/**
 * The JSON Schema for the params of a level, and the names of the params that the level
 * receives; by default, all params.
 */
export interface SeenParams {
  readonly json: JsonSchema;
  readonly names?: readonly string[] | undefined;
}

/**
 * Returns the parameters of a path, in the order of the path. A parameter that several
 * schemas describe occurs once for each schema.
 */
export function pathParameters(
  segments: readonly UrlSegment[],
  params: readonly SeenParams[],
): Parameter[] {
  const levels = params.map(({ json, names }) => ({
    properties: membersOf(json).properties,
    names,
  }));
  return segments.flatMap((segment): Parameter[] => {
    if (segment.kind === "static") return [];
    if (segment.kind === "wildcard") {
      return [{
        ...parameter("path", wildcardName(segments), true, { type: "string" }),
        description: "One or more segments, separated by unescaped slashes",
        "x-wildcard": true,
      }];
    }
    const { name } = segment;
    const declared = levels
      .filter(({ names }) => names === undefined || names.includes(name))
      .map(({ properties }) => properties.get(name))
      .filter((schema) => schema !== undefined);
    return (declared.length === 0 ? [{ type: "string" }] : declared)
      .map((schema) => parameter("path", name, true, schema));
  });
}

/** The parameters of a query, of headers or of cookies, which are the properties of a schema. */
export function namedParameters(
  place: "query" | "header" | "cookie",
  json: JsonSchema,
): Parameter[] {
  const { properties, required } = membersOf(json);
  if (properties.size === 0 && place === "query" && !describesObject(json)) {
    // A schema such as a union has no list of names, so one parameter represents the
    // whole query.
    return [{
      ...parameter("query", "query", false, json),
      style: "form",
      explode: true,
    }];
  }
  return [...properties]
    .filter(([name]) => place !== "header" || !RESERVED_HEADERS.has(name))
    .map(([name, schema]) =>
      parameter(place, name, required.has(name), schema)
    );
}

/** Returns the headers of a response, which are the properties of a schema. */
export function responseHeaders(
  json: JsonSchema,
): Record<string, ResponseHeader> {
  const { properties, required } = membersOf(json);
  return Object.fromEntries(
    [...properties]
      // The media type in `content` describes this header.
      .filter(([name]) => name.toLowerCase() !== "content-type")
      .map(([name, schema]) => [
        name,
        { required: required.has(name), ...liftAnnotations(schema) },
      ]),
  );
}

/** A name for the wildcard that differs from the names of the dynamic segments. */
export function wildcardName(segments: readonly UrlSegment[]): string {
  let name = "wildcard";
  const isTaken = (each: UrlSegment) =>
    each.kind === "dynamic" && each.name === name;
  while (segments.some(isTaken)) name += "_";
  return name;
}

/**
 * The properties of an object's schema and of its `allOf`, and the names of required
 * properties. Each property has the definitions of the schema. Omits properties that
 * accept no value, such as `z.never()`.
 */
export function membersOf(
  json: JsonSchema,
): { properties: Map<string, JsonSchema>; required: Set<string> } {
  const { properties: given = {}, required = [] } =
    flatten(json, json)?.schema ?? {};
  const definitions = json.$defs !== undefined && { $defs: json.$defs };
  // Use a map, since a parameter may be named `toString`.
  const properties = new Map<string, JsonSchema>();
  for (const [name, schema] of Object.entries(given as object)) {
    const flat = flatten(schema, json);
    const { not } = flat?.schema ?? { not: {} };
    if (isObject(not) && Object.keys(not).length === 0) continue;
    properties.set(name, { ...schema === true ? {} : schema, ...definitions });
  }
  return { properties, required: new Set(required as readonly string[]) };
}

export function describesObject(json: JsonSchema): boolean {
  const { type, properties } = resolveRoot(json);
  return type === "object" || properties !== undefined;
}

function parameter(
  place: Parameter["in"],
  name: string,
  required: boolean,
  schema: JsonSchema,
): Parameter {
  return { name, in: place, required, ...liftAnnotations(schema) };
}

/** Moves annotations of a schema to its parameter, where OpenAPI expects them. */
function liftAnnotations(
  { description, deprecated, ...schema }: JsonSchema,
): Pick<Parameter, "description" | "deprecated" | "schema"> {
  return {
    ...(typeof description === "string" && { description }),
    ...(deprecated === true && { deprecated }),
    schema,
  };
}

/**
 * Merges the parameters that several levels declare under one name, outermost first.
 * The parameter is required if one level requires the parameter. Its value must satisfy
 * the schemas of all levels; equal schemas are merged. The description comes from the
 * innermost level.
 */
export function mergeParameters(declared: readonly Parameter[]): Parameter[] {
  const byName = groupBy(declared, (each) => `${each.in} ${each.name}`);
  return [...byName.values()].map((levels) => {
    const innermost = levels.at(-1)!;
    if (levels.length === 1) return innermost;
    const description = levels.findLast((each) =>
      each.description !== undefined
    )?.description;
    return {
      ...innermost,
      ...(description !== undefined && { description }),
      required: levels.some((each) => each.required),
      ...(levels.some((each) => each.deprecated) && { deprecated: true }),
      schema: mergeSchemas(levels.map((each) => each.schema)),
    };
  });
}

function mergeSchemas(schemas: readonly JsonSchema[]): JsonSchema {
  const distinct = new Map(
    schemas.map((schema) => [JSON.stringify(schema), schema]),
  );
  const allOf = [...distinct.values()];
  return allOf.length === 1 ? allOf[0]! : { allOf };
}
