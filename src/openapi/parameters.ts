import { compileSegment } from "../routing/segment.ts";
import { resolveRoot } from "./json_schema.ts";
import type { JsonSchema, Parameter } from "./types.ts";

/** OpenAPI ignores parameters of these names, which have places of their own. */
const RESERVED_HEADERS = new Set(["accept", "content-type", "authorization"]);

/** What a path template calls the segments that a wildcard takes. */
const WILDCARD = "wildcard";

/**
 * A URL pattern as OpenAPI writes it: `/files/[id]/[...]` is
 * `/files/{id}/{wildcard}`.
 */
export function pathTemplate(path: string): string {
  return path.split("/").map((name) => {
    if (name === "") return "";
    const segment = compileSegment(name);
    if (segment.kind === "dynamic") return `{${segment.name}}`;
    if (segment.kind === "wildcard") return `{${wildcardName(path)}}`;
    return encodeURIComponent(name);
  }).join("/");
}

/** The parameters that stand in a path, in its order. */
export function pathParameters(
  path: string,
  params: JsonSchema | undefined,
): Parameter[] {
  const properties = propertiesOf(params);
  return path.split("/").flatMap((name): Parameter[] => {
    const segment = compileSegment(name);
    if (segment.kind === "dynamic") {
      const schema = properties.get(segment.name) ?? { type: "string" };
      return [parameter("path", segment.name, true, schema)];
    }
    if (segment.kind === "wildcard") {
      return [{
        ...parameter("path", wildcardName(path), true, { type: "string" }),
        description:
          "One segment or more, with slashes between them; the slashes are not escaped",
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
    // No plain object, say a union: all names together are one parameter.
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
function wildcardName(path: string): string {
  let name = WILDCARD;
  while (path.includes(`[${name}]`)) name += "_";
  return name;
}

/**
 * The properties of an object's schema, each with the definitions it refers to. A
 * map has no property but these: a parameter may be named `toString`.
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
