import { isJson, isJsonOrText, mediaType } from "../core/common/media_type.ts";
import {
  isIdempotent,
  isSafe,
  type Method,
  schemaKey,
} from "../core/methods.ts";
import { Components } from "../shared/document/components.ts";
import { OperationContext } from "../shared/document/context.ts";
import {
  bodyTypes,
  convertAll,
  isOptional,
  operationIds,
} from "../shared/document/operation.ts";
import {
  membersOf,
  mergeParameters,
  pathParameters,
} from "../shared/document/parameters.ts";
import type { DocumentWarning, JsonSchema } from "../openapi/mod.ts";
import { JSON_TYPE, typeInRange } from "../shared/wire.ts";
import type { RouteInfo } from "../core/types/plugin.ts";
import { withLists } from "../core/schema/run_schema.ts";
import type { RequestBodies } from "../core/schema/declaration.ts";
import { isStreamedSchema } from "../core/schema/check_request.ts";
import type { DeclaredContent } from "../core/types/effective_schema.ts";
import type { ToolDescription } from "../core/types/schema.ts";

/** A method of a route that agents may call. */
export interface McpTool {
  /** The unique name. */
  readonly name: string;
  /** The method of the requests to the route. */
  readonly method: Method;
  /** The URL pattern of the route, such as `/api/books/[bookId]`. */
  readonly path: string;
}

/** A tool, its route, and the description that agents get. */
export interface Tool extends McpTool {
  readonly route: RouteInfo;
  /** The `Accept` of its requests: the declared types of JSON. */
  readonly accept: string;
  /** The media type of its body, if the method has one. */
  readonly bodyType: string;
  readonly listed: {
    readonly name: string;
    readonly title: string | undefined;
    readonly description: string | undefined;
    readonly inputSchema: ObjectSchema;
    readonly outputSchema: ObjectSchema | undefined;
    readonly annotations: Readonly<Record<string, boolean>>;
  };
}

type ObjectSchema = JsonSchema & { readonly type: "object" };

/**
 * Finds the methods that declare `mcp`: the tools, and the methods that cannot be tools.
 *
 * @param headers The names of the headers that calls pass on. Commands do not know these
 * names, so they omit no method for its headers.
 */
export function findTools(
  routes: readonly RouteInfo[],
  headers?: readonly string[],
): {
  readonly tools: readonly Tool[];
  readonly omitted: readonly DocumentWarning[];
} {
  const sent = headers?.map((name) => name.toLowerCase())
    .concat("accept", "content-type");
  const isSent = (name: string) => sent?.includes(name) ?? true;
  const idOf = operationIds(routes, []);
  const tools = new Map<string, Tool>();
  const omitted: DocumentWarning[] = [];
  for (const route of routes) {
    for (const method of route.methods) {
      let found = describeTool(route, method, {
        id: idOf(route, method),
        isSent,
      });
      if (found === undefined) continue;
      if (typeof found !== "string" && tools.has(found.name)) {
        const { file } = tools.get(found.name)!.route;
        found = `"${file}" has a tool named "${found.name}"`;
      }
      if (typeof found === "string") {
        const message =
          `${method} ${route.path} is not a tool, since ${found}; set schema.${
            schemaKey(method)
          }.mcp to false, or correct this`;
        omitted.push({ path: route.file, message });
      } else tools.set(found.name, found);
    }
  }
  return { tools: [...tools.values()], omitted };
}

/**
 * Describes a method as a tool; returns the reason if the method cannot be a tool.
 *
 * @param id The id of the operation in the OpenAPI document.
 * @param isSent Whether calls may have a header.
 */
function describeTool(
  route: RouteInfo,
  method: Method,
  { id, isSent }: {
    readonly id: string;
    readonly isSent: (name: string) => boolean;
  },
): Tool | string | undefined {
  const contextWith = (warnings: DocumentWarning[]) =>
    new OperationContext(
      { components: new Components(), warnings },
      { route, method },
    );
  const warnings: DocumentWarning[] = [];
  const context = contextWith(warnings);
  const { schema, effective: { mcp } } = context;
  if (!mcp?.value || method === "HEAD" || method === "OPTIONS") return;
  if (schema.events !== undefined) return "it streams events";
  if (schema.socket !== undefined) return "it opens a socket";
  if (isStreamedSchema(schema.body)) return "its body is streamed";
  const bodyType = bodyTypeOf(context.body);
  if (bodyType === undefined) return "its body is not JSON";
  const missing = requiredHeaders(contextWith([])).find((names) =>
    !names.some(isSent)
  );
  if (missing !== undefined) {
    return `it requires the header "${
      missing[0]
    }", which the option "headers" of mcp() does not list`;
  }
  const inputSchema = describeInput(context);
  if (warnings.length > 0) return warnings[0]!.message;
  if (typeof inputSchema === "string") return inputSchema;
  // A tool may omit the schema of its result.
  const outputSchema = describeOutput(contextWith([]));
  if (typeof outputSchema === "string") return outputSchema;
  const { summary } = schema;
  const own: ToolDescription = Object(mcp.value);
  const { name = id.replaceAll(/[^\w.-]/g, "_"), title = summary } = own;
  const description = own.description ?? schema.description ?? summary;
  return {
    name,
    method,
    path: route.path,
    route,
    accept: acceptOf(context),
    bodyType,
    listed: {
      name,
      title,
      description,
      inputSchema,
      outputSchema,
      annotations: {
        readOnlyHint: isSafe(method),
        // POST may also change existing data, so agents should ask first.
        destructiveHint: !isSafe(method),
        idempotentHint: isIdempotent(method),
      },
    },
  };
}

/** The media type of the JSON that a tool sends; `undefined` if none is declared. */
function bodyTypeOf(body: RequestBodies | undefined): string | undefined {
  const { mediaType: type } = body?.untyped ?? { mediaType: JSON_TYPE };
  return isJson(type) ? typeInRange(type) : undefined;
}

/** The names of each header that the method requires; one of several is enough. */
function requiredHeaders(context: OperationContext): string[][] {
  const { response } = context.effective;
  return [
    ...convertAll(context, "headers").flatMap(({ json }) =>
      [...membersOf(json).required].map((name) => [name])
    ),
    ...convertAll(context, "cookies").flatMap(({ json }) =>
      membersOf(json).required.size > 0 ? [["cookie"]] : []
    ),
    // A 428 requires a condition (RFC 6585), which no schema can require.
    ...(response.has(428) ? [["if-match", "if-none-match"]] : []),
  ];
}

/** Describes the arguments: `params`, `query` and `body`, if the method has them. */
function describeInput(context: OperationContext): ObjectSchema | string {
  const { effective, document: { components }, route } = context;
  const add = (json: JsonSchema) => components.add(json, "input");
  const params = mergeParameters(
    pathParameters(route.segments, convertAll(context, "params")),
  ).map(({ name, description, schema }) =>
    [name, { ...add(schema), ...(description && { description }) }] as const
  );
  const query = convertAll(context, "query").map(({ json }) => add(json));
  const untyped = context.body?.untyped.schema;
  const body = context.convert(
    { value: "body", file: route.file },
    untyped,
    { direction: "input", name: "Body" },
  );
  if (body !== undefined && !bodyTypes(body).includes("application/json")) {
    return "its body has a file";
  }
  const optional = [
    effective.parts.query.every(({ value }) =>
      isOptional(value, withLists(value, {}))
    ) && "query",
    untyped !== undefined && isOptional(untyped) && "body",
  ];
  const input = object({
    ...(params.length > 0 && { params: object(Object.fromEntries(params)) }),
    ...(query.length > 0 && {
      query: query.length === 1 ? query[0]! : { allOf: query },
    }),
    ...(body !== undefined && { body: add(body) }),
  }, optional);
  return finish(components, input);
}

/** The types of JSON that the responses with a status below 300 declare, or JSON. */
function acceptOf({ effective: { response } }: OperationContext): string {
  const types = [...response].filter(([code]) => code < 300)
    .flatMap(([, { value }]) => value.bodies.filter(isOfJson))
    .map((each) => each.mediaType);
  return [...new Set(types)].join(", ") || "application/json";
}

function isOfJson({ mediaType: type }: DeclaredContent): boolean {
  return type !== undefined && isJson(mediaType(type));
}

/** Describes `{ status, body }`, if each response below 300 has a JSON Schema. */
function describeOutput(
  context: OperationContext,
): ObjectSchema | string | undefined {
  const responses = [...context.effective.response].sort(([a], [b]) => a - b);
  const ways: (ObjectSchema | undefined)[] = [];
  for (const [code, { value }] of responses) {
    if (code >= 300) continue;
    const { bodies } = value;
    const status = { const: code };
    if (bodies.length === 0) ways.push(object({ status }));
    // If a response has JSON and other types, calls ask for JSON.
    const json = bodies.filter(isOfJson);
    for (const { mediaType: type, schema } of json.length > 0 ? json : bodies) {
      if (type !== undefined && !isJsonOrText(mediaType(type))) {
        return `its response with status ${code} is "${type}"`;
      }
      const member = { value: `response[${code}]`, file: context.route.file };
      const options = { direction: "output", name: `Response${code}` } as const;
      const body = context.describe(member, schema, options);
      ways.push(body && object({ status, body }));
    }
  }
  const [first] = ways;
  if (!ways.every((way) => way !== undefined)) return undefined;
  return first && finish(
    context.document.components,
    ways.length === 1 ? first : { type: "object", anyOf: ways },
  );
}

/** The schema of an object without other members. */
function object(
  properties: Readonly<Record<string, JsonSchema>>,
  optional: readonly (string | false)[] = [],
): ObjectSchema {
  const required = Object.keys(properties)
    .filter((name) => !optional.includes(name));
  return {
    type: "object",
    properties,
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
}

/** Adds the named parts to a schema. */
function finish(components: Components, root: ObjectSchema): ObjectSchema {
  const { document, schemas } = components.finish(root, "#/$defs/");
  const isPlain = Object.keys(schemas).length === 0;
  return isPlain ? document : { ...document, $defs: schemas };
}
