import type { UrlSegment } from "../routing/segment.ts";
import { resolveRoot } from "./json_schema.ts";
import type { JsonSchema, Parameter } from "./types.ts";

/** OpenAPI ignores parameters for these headers: it describes them elsewhere. */
const RESERVED_HEADERS = new Set(["accept", "content-type", "authorization"]);

/** The name of the wildcard in a path template. */
const WILDCARD = "wildcard";

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

/** The parameters of a path, in its order. */
export function pathParameters(
  segments: readonly UrlSegment[],
  params: JsonSchema | undefined,
): Parameter[] {
  const properties = propertiesOf(params);
  return segments.flatMap((segment): Parameter[] => {
    if (segment.kind === "dynamic") {
      const schema = properties.get(segment.name) ?? { type: "string" };
      return [parameter("path", segment.name, true, schema)];
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
  const root = resolveRoot(json);
  if (root.properties === undefined && place === "query") {
    // Not a plain object but, say, a union: one parameter stands for all names.
    return [{
      ...parameter("query", "query", false, json),
      style: "form",
      explode: true,
    }];
  }
  const required = new Set((root.required ?? []) as readonly string[]);
  return [...propertiesOf(json)]
    .filter(([name]) => place === "query" || !RESERVED_HEADERS.has(name))
    .map(([name, schema]) =>
      parameter(place, name, required.has(name), schema)
    );
}

/** A name for the wildcard that no dynamic segment of the path has. */
function wildcardName(segments: readonly UrlSegment[]): string {
  const names = segments.map((segment) =>
    segment.kind === "dynamic" ? segment.name : ""
  );
  let name = WILDCARD;
  while (names.includes(name)) name += "_";
  return name;
}

/**
 * The properties of an object's schema, each with the definitions it refers to.
 * They are a map, since a parameter may be named `toString`.
 */
function propertiesOf(
  json: JsonSchema | undefined,
): ReadonlyMap<string, JsonSchema> {
  if (json === undefined) return new Map();
  const { properties = {}, $defs } = resolveRoot(json);
  return new Map(
    Object.entries(properties as Record<string, JsonSchema>).map((
      [name, schema],
    ) => [name, $defs === undefined ? schema : { ...schema, $defs }]),
  );
}

function parameter(
  place: Parameter["in"],
  name: string,
  required: boolean,
  { description, ...schema }: JsonSchema,
): Parameter {
  return {
    name,
    in: place,
    required,
    ...(typeof description === "string" && { description }),
    schema,
  };
}
