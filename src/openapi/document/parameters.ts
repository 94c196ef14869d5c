import { isObject } from "../../common/values.ts";
import type { UrlSegment } from "../../routing/pattern.ts";
import { resolveRoot } from "../../schema/json_schema.ts";
import type { JsonSchema, Parameter, ResponseHeader } from "../types.ts";

/** OpenAPI ignores parameters for these headers: it describes them elsewhere. */
const RESERVED_HEADERS = new Set(["accept", "content-type", "authorization"]);

/**
 * A URL pattern as OpenAPI writes it: `/files/[id]/[...]` becomes
 * `/files/{id}/{wildcard}`.
 */
export function pathTemplate(segments: readonly UrlSegment[]): string {
  return "/" + segments.map((segment) => {
    switch (segment.kind) {
      case "static":
        return encodeURIComponent(segment.text);
      case "dynamic":
        return `{${segment.name}}`;
      case "wildcard":
        return `{${wildcardName(segments)}}`;
    }
  }).join("/");
}

/** The JSON form of a schema, and the names of params that it sees; all by default. */
export interface SeenParams {
  readonly json: JsonSchema;
  readonly names?: readonly string[] | undefined;
}

/**
 * The parameters of a path, in its order. One that several schemas describe comes once
 * for each of them.
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
    if (segment.kind === "dynamic") {
      const { name } = segment;
      const declared = levels
        .filter(({ names }) => names === undefined || names.includes(name))
        .map(({ properties }) => properties.get(name))
        .filter((schema) => schema !== undefined);
      return (declared.length === 0 ? [{ type: "string" }] : declared)
        .map((schema) => parameter("path", name, true, schema));
    }
    if (segment.kind === "wildcard") {
      const name = wildcardName(segments);
      return [{
        ...parameter("path", name, true, { type: "string" }),
        description:
          "One segment or more, with slashes between them; the slashes are not escaped",
        "x-wildcard": true,
      }];
    }
    return [];
  });
}

/** The parameters of a query or of headers: the properties of their schema. */
export function namedParameters(
  place: "query" | "header",
  json: JsonSchema,
): Parameter[] {
  const { properties, required } = membersOf(json);
  if (properties.size === 0 && place === "query" && !describesObject(json)) {
    // Not a plain object but, say, a union: one parameter stands for all names.
    return [{
      ...parameter("query", "query", false, json),
      style: "form",
      explode: true,
    }];
  }
  return [...properties]
    .filter(([name]) => place === "query" || !RESERVED_HEADERS.has(name))
    .map(([name, schema]) =>
      parameter(place, name, required.has(name), schema)
    );
}

/** The headers of a response: the properties of their schema. */
export function responseHeaders(
  json: JsonSchema,
): Record<string, ResponseHeader> {
  const { properties, required } = membersOf(json);
  return Object.fromEntries(
    [...properties]
      // The media type says it.
      .filter(([name]) => name.toLowerCase() !== "content-type")
      .map(([name, schema]) => [
        name,
        { required: required.has(name), ...liftTexts(schema) },
      ]),
  );
}

/** The names of an object's properties; `undefined` if a schema is no plain object. */
export function propertyNames(json: JsonSchema): string[] | undefined {
  const names = [...membersOf(json).properties.keys()];
  return names.length === 0 && !describesObject(json) ? undefined : names;
}

/** A name for the wildcard that no dynamic segment of the path has. */
function wildcardName(segments: readonly UrlSegment[]): string {
  let name = "wildcard";
  const isTaken = (each: UrlSegment) =>
    each.kind === "dynamic" && each.name === name;
  while (segments.some(isTaken)) name += "_";
  return name;
}

/**
 * The properties of an object's schema, each with the definitions it refers to, and
 * those of its `allOf`: an intersection of objects. One that no value fits, as that
 * of `z.never()`, is left out.
 */
function membersOf(
  json: JsonSchema,
): { properties: Map<string, JsonSchema>; required: Set<string> } {
  const { properties: given = {}, required = [], allOf = [], $defs } =
    resolveRoot(json);
  const withDefinitions = (schema: JsonSchema): JsonSchema =>
    $defs === undefined ? schema : { ...schema, $defs };
  const parts = (allOf as readonly JsonSchema[])
    .map((part) => membersOf(withDefinitions(part)));
  // A map, since a parameter may be named `toString`.
  const properties = new Map<string, JsonSchema>();
  for (const [name, schema] of Object.entries(given as object)) {
    const { not } = schema;
    const isNever = isObject(not) && Object.keys(not).length === 0;
    if (schema === false || isNever) continue;
    properties.set(name, withDefinitions(schema === true ? {} : schema));
  }
  return {
    properties: new Map([
      ...properties,
      ...parts.flatMap((part) => [...part.properties]),
    ]),
    required: new Set([
      ...required as readonly string[],
      ...parts.flatMap((part) => [...part.required]),
    ]),
  };
}

function describesObject(json: JsonSchema): boolean {
  const { type, properties } = resolveRoot(json);
  return type === "object" || properties !== undefined;
}

function parameter(
  place: Parameter["in"],
  name: string,
  required: boolean,
  schema: JsonSchema,
): Parameter {
  return { name, in: place, required, ...liftTexts(schema) };
}

/** What a schema says that OpenAPI wants beside it. */
function liftTexts(
  { description, deprecated, ...schema }: JsonSchema,
): Pick<Parameter, "description" | "deprecated" | "schema"> {
  return {
    ...(typeof description === "string" && { description }),
    ...(deprecated === true && { deprecated }),
    schema,
  };
}

/**
 * Merges the parameters of one name that several levels declare, outermost first. A
 * request must fit all of them: it is required if one of them requires it, and fits
 * the schemas of all, which are one where they say the same. What is said of it in
 * words comes from the nearest level.
 */
export function mergeParameters(declared: readonly Parameter[]): Parameter[] {
  const byName = Map.groupBy(declared, (each) => `${each.in} ${each.name}`);
  return [...byName.values()].map((levels) => {
    const nearest = levels.at(-1)!;
    if (levels.length === 1) return nearest;
    const description = levels.findLast((each) =>
      each.description !== undefined
    )?.description;
    return {
      ...nearest,
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
  const [first, ...others] = distinct.values();
  return others.length === 0 ? first! : { allOf: [first!, ...others] };
}
