import { STATUS_TEXT, type StatusCode } from "@std/http/status";
import { responseSchemas } from "../http/validation/check_response.ts";
import { runSchema } from "../http/validation/run_schema.ts";
import {
  type MethodSchema,
  SCHEMA_PARTS,
  type StandardSchemaV1,
} from "../http/validation/schema.ts";
import { type Method, schemaKey } from "../method.ts";
import type { RouteInfo } from "../app/plugin.ts";
import { compileSegment } from "../routing/segment.ts";
import type { Components } from "./components.ts";
import { type Direction, resolveRoot, toJsonSchema } from "./json_schema.ts";
import { namedParameters, pathParameters } from "./parameters.ts";
import { Problem } from "./problem_schema.ts";
import type {
  Content,
  DocumentWarning,
  JsonSchema,
  Operation,
  Parameter,
} from "./types.ts";

/** Responses with these statuses have no body (RFC 9110, section 15). */
const BODYLESS = new Set([204, 205, 304]);

/** What all operations of a document share. */
export interface OperationContext {
  /** Collects the schemas that have a name. */
  readonly components: Components;
  /** Collects what could not be described. */
  readonly warnings: DocumentWarning[];
}

/** Describes one method of a route, all but its `operationId`. */
export function describeOperation(
  route: RouteInfo,
  method: Method,
  { components, warnings }: OperationContext,
): Omit<Operation, "operationId"> {
  const key = schemaKey(method);
  const schema: MethodSchema = route.schema[key] ?? {};
  const hint = defaultOperationId(route, method);

  function convert(
    part: string,
    schema: StandardSchemaV1 | undefined,
    direction: Direction = "input",
  ): JsonSchema | undefined {
    if (schema === undefined) return undefined;
    try {
      return toJsonSchema(schema, direction);
    } catch (error) {
      warnings.push({
        path: route.file,
        message: `schema.${key}.${part} has no JSON form: ${
          (error as Error).message
        }`,
      });
      return undefined;
    }
  }

  function addSchemas(parameters: readonly Parameter[]): Parameter[] {
    return parameters.map((parameter) => {
      const name = `${hint}${capitalize(parameter.name)}`;
      const schema = components.add(parameter.schema, "input", name);
      return { ...parameter, schema };
    });
  }

  const query = convert("query", schema.query);
  const headers = convert("headers", schema.headers);
  const parameters = addSchemas([
    ...pathParameters(route.segments, convert("params", schema.params)),
    ...(query === undefined ? [] : namedParameters("query", query)),
    ...(headers === undefined ? [] : namedParameters("header", headers)),
  ]);

  const responses: Record<string, object> = ownResponses(route, schema);
  for (const [status, declared] of responseSchemas(schema.response ?? {})) {
    const json = BODYLESS.has(status)
      ? undefined
      : convert(`response[${status}]`, declared, "output");
    responses[status] = {
      description: STATUS_TEXT[status as StatusCode] ?? `Status ${status}`,
      ...(json !== undefined && {
        content: {
          [
            declared === Problem
              ? "application/problem+json"
              : contentTypeOf(json)
          ]: {
            schema: components.add(json, "output", `${hint}${status}`),
          },
        },
      }),
    };
  }

  const { summary, description, deprecated, security } = schema;
  const body = convert("body", schema.body);
  return {
    ...(summary !== undefined && { summary }),
    ...(description !== undefined && { description }),
    tags: schema.tags ?? defaultTags(route),
    ...(deprecated !== undefined && { deprecated }),
    ...(security !== undefined && { security }),
    ...(parameters.length > 0 && { parameters }),
    ...(schema.body !== undefined && {
      requestBody: {
        required: !isOptional(schema.body),
        content: bodyContent(
          body,
          (json) => components.add(json, "input", `${hint}Body`),
        ),
      },
    }),
    responses,
  };
}

/** The default id of an operation: `getUsersByIdPosts` for `GET users/[id]/posts`. */
export function defaultOperationId(
  { folders }: Pick<RouteInfo, "folders">,
  method: Method,
): string {
  const words = folders.flatMap((name) => {
    const segment = compileSegment(name);
    if (segment.kind === "group") return [];
    if (segment.kind === "dynamic") return ["by", segment.name];
    if (segment.kind === "wildcard") return ["by", "wildcard"];
    return name.split(/[^\p{L}\p{N}]+/u);
  });
  const name = words.length === 0 ? ["root"] : words;
  return method.toLowerCase() + name.map(capitalize).join("");
}

/** The default tag of an operation: the first folder that is part of its URL. */
function defaultTags({ folders }: RouteInfo): readonly string[] {
  for (const name of folders) {
    const segment = compileSegment(name);
    if (segment.kind === "static") return [segment.text];
    if (segment.kind === "dynamic") return [segment.name];
  }
  return [];
}

/** The problems that Bough itself may respond with, before any handler runs. */
function ownResponses(
  route: RouteInfo,
  schema: MethodSchema,
): Record<string, object> {
  const reference = (name: string) => ({
    $ref: `#/components/responses/${name}`,
  });
  const hasCaptures = route.segments.some(({ kind }) => kind !== "static");
  const checked = SCHEMA_PARTS.some((part) => schema[part] !== undefined);
  return {
    ...((checked || hasCaptures) && { 400: reference("BadRequest") }),
    // A segment left empty makes it another path, `/users/`, without a route.
    ...(hasCaptures && { 404: reference("NotFound") }),
    ...(schema.body !== undefined && {
      413: reference("ContentTooLarge"),
      415: reference("UnsupportedMediaType"),
    }),
    default: reference("Problem"),
  };
}

/**
 * The content types of a body. A form holds only texts and files, so it is listed
 * where all properties are strings. A body with a file can only be a form.
 */
function bodyContent(
  json: JsonSchema | undefined,
  addSchema: (json: JsonSchema) => JsonSchema,
): Content {
  if (json === undefined) return { "application/json": { schema: {} } };
  const schema = addSchema(json);
  const properties = Object.values(
    (resolveRoot(json).properties ?? {}) as Record<string, JsonSchema>,
  );
  if (properties.some(({ format }) => format === "binary")) {
    return { "multipart/form-data": { schema } };
  }
  const isForm = properties.length > 0 &&
    properties.every(({ type }) => type === "string");
  return {
    "application/json": { schema },
    ...(isForm && {
      "application/x-www-form-urlencoded": { schema },
      "multipart/form-data": { schema },
    }),
  };
}

/** Whether a request may omit its body: the schema accepts `undefined`. */
function isOptional(schema: StandardSchemaV1): boolean {
  try {
    const result = runSchema(schema, undefined, "body");
    if (!(result instanceof Promise)) return result.issues === undefined;
    result.catch(() => {});
    return false;
  } catch {
    return false;
  }
}

function contentTypeOf(json: JsonSchema): string {
  return resolveRoot(json).type === "string"
    ? "text/plain"
    : "application/json";
}

function capitalize(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}
