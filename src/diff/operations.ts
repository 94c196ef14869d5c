import { METHODS } from "../methods.ts";
import { PATH_PARAMETER, unnamed } from "../openapi/document/parameters.ts";
import { createExample } from "../openapi/examples/example.ts";
import type {
  DocumentedResponse,
  JsonSchema,
  MediaTypes,
  OpenApiDocument,
  Operation,
  Parameter,
} from "../openapi/types.ts";
import {
  areHeaders,
  asCarried,
  bodyOf,
  isCarried,
} from "../testing/send/wire.ts";
import { type Direction, opened } from "./validators.ts";
import { examplesOf } from "./values.ts";

/** A part of a request. */
export type RequestPart = "params" | "query" | "headers" | "body";

/** A request that shows a change. */
export interface ShownRequest {
  /** The method. */
  readonly method: string;
  /** The path and the query: `/api/books?limit=2`. */
  readonly target: string;
  /** The headers by lowercase name. */
  readonly headers: Readonly<Record<string, string>>;
  /** The names of further headers, which contain credentials. */
  readonly as?: readonly string[];
  /** The body. */
  readonly body?: string;
}

/** An operation, and its place in the document. */
export interface Located {
  /** The method and the path: `GET /api/books/{bookId}`. */
  readonly name: string;
  /** The names of the path parameters, in order. */
  readonly names: readonly string[];
  readonly operation: Operation;
}

/** The operations by method and by path without the names of its parameters. */
export function operationsOf(document: OpenApiDocument): Map<string, Located> {
  return new Map(
    Object.entries(document.paths).flatMap(([path, item]) =>
      METHODS.flatMap((method): [string, Located][] => {
        const operation = item[method.toLowerCase()];
        if (operation === undefined) return [];
        const name = `${method} ${path}`;
        const names = [...path.matchAll(PATH_PARAMETER)].map(([, name]) =>
          name!
        );
        return [[unnamed(name), { name, names, operation }]];
      })
    ),
  );
}

/** An operation with the name, and the names of path parameters, of another version. */
export function renamed(
  { names, operation }: Located,
  other: Located,
): Located {
  const parameters = operation.parameters?.map((each) => ({
    ...each,
    name: each.in === "path"
      ? other.names[names.indexOf(each.name)] ?? each.name
      : each.name,
  }));
  return {
    ...other,
    operation: { ...operation, ...parameters && { parameters } },
  };
}

/** A part of an operation whose values have a schema. */
export interface Part {
  /** The place of the part, such as `query` or `200 body`. */
  readonly place: string;
  readonly direction: Direction;
  readonly schema: JsonSchema;
  /** The part of the request, unless the part is a message or of a response. */
  readonly part?: RequestPart;
}

const IN = { params: "path", query: "query", headers: "header" } as const;

/**
 * The parts of an operation. A status is the key of the headers of its response; the
 * keys of its bodies end with their media type.
 */
export function partsOf(
  { parameters = [], requestBody, responses, "x-socket": socket }: Operation,
  { components }: OpenApiDocument,
): Map<string, Part> {
  const parts = new Map<string, Part>();
  const direction = "request";
  for (const part of ["params", "query", "headers"] as const) {
    const own = parameters
      .filter((each) => each.in === IN[part] && !each["x-wildcard"]);
    const schema = membersOf(part === "params" ? own.map(neverEmpty) : own);
    parts.set(part, { place: part, part, direction, schema });
  }
  // Each route with a body reads JSON and forms, with the same schema.
  const [body] = Object.values(requestBody?.content ?? {});
  if (body !== undefined) {
    const part = "body";
    parts.set(part, { place: part, part, direction, schema: schemaOf(body) });
  }
  const place = "socket.receive";
  parts.set(place, { place, direction, schema: socket?.receive ?? {} });
  const add = (key: string, place: string, schema: JsonSchema) =>
    parts.set(key, { place, direction: "response", schema: opened(schema) });
  add("socket.send", "socket.send", socket?.send ?? {});
  for (const [status, given] of Object.entries(responses)) {
    const { headers = {}, content = {} }: Partial<DocumentedResponse> =
      "$ref" in given
        ? components.responses[given.$ref.split("/").at(-1)!] ?? {}
        : given;
    const all = Object.entries(headers)
      .map(([name, each]) => ({ name, ...each }));
    add(status, `${status} headers`, membersOf(all));
    for (const [type, media] of Object.entries(content)) {
      add(`${status} ${type}`, `${status} body`, schemaOf(media));
    }
  }
  return parts;
}

/** An empty segment of a path matches no route. */
function neverEmpty(parameter: Parameter): Parameter {
  const { schema } = parameter;
  return { ...parameter, schema: { allOf: [schema, { minLength: 1 }] } };
}

/** Whether HTTP can carry a value of a part. */
export function isSent(part: RequestPart | undefined, value: unknown): boolean {
  if (part !== "params" && part !== "headers") return true;
  const strings = asCarried("headers", value) as Record<string, string>;
  return part === "headers"
    ? areHeaders(strings)
    : isCarried({ params: strings, wildcard: [] });
}

/** Parameters or headers as the members of an object. */
function membersOf(
  all: readonly Pick<Parameter, "name" | "required" | "schema">[],
): JsonSchema {
  return {
    type: "object",
    properties: Object.fromEntries(
      all.map(({ name, schema }) => [name, schema]),
    ),
    required: all.filter(({ required }) => required).map(({ name }) => name),
  };
}

/** The schema of a body; in OpenAPI 3.1, a stream is a string that contains events. */
function schemaOf({ schema, itemSchema }: MediaTypes[string]): JsonSchema {
  return itemSchema === undefined ? schema ?? {} : {
    type: "string",
    contentMediaType: "text/event-stream",
    contentSchema: { type: "array", items: itemSchema },
  };
}

/** A request in which one part has a value, and the other parts are examples. */
export function requestWith(
  { name, operation }: Located,
  [changed, value]: readonly [RequestPart, unknown],
  root: OpenApiDocument,
): ShownRequest {
  const parts = partsOf(operation, root);
  const valueOf = (part: RequestPart): unknown => {
    if (part === changed) return value;
    const { schema: keywords = {} } = parts.get(part) ?? {};
    return part === "body"
      ? createExample(keywords, { root })
      : examplesOf({ type: "object", keywords, root })[0];
  };
  const stringsOf = (part: RequestPart) =>
    Object.entries(valueOf(part) ?? {}).flatMap(([name, each]) =>
      [each].flat().map((one) => [name, String(one)])
    );
  const params = Object.fromEntries(stringsOf("params"));
  const [method, path] = name.split(" ") as [string, string];
  const target = path.replaceAll(
    PATH_PARAMETER,
    (_, name) => encodeURIComponent(params[name] ?? "x"),
  );
  const search = new URLSearchParams(stringsOf("query"));
  const [type] = Object.keys(operation.requestBody?.content ?? {});
  const sent = bodyOf(type && valueOf("body"), type);
  const headers = stringsOf("headers");
  if (sent) headers.push(["content-type", sent.type]);
  const as = credentialsOf(operation, root);
  return {
    method,
    target: search.size === 0 ? target : `${target}?${search}`,
    headers: Object.fromEntries(headers),
    ...(as.length > 0 && { as }),
    ...(sent && { body: sent.text }),
  };
}

/** The headers of the first credentials that an operation accepts. */
function credentialsOf(
  { security }: Operation,
  { components, security: common = [] }: OpenApiDocument,
): string[] {
  const [first = {}] = security ?? common;
  return Object.keys(first).map((name) => {
    const scheme: JsonSchema = { ...components.securitySchemes?.[name] };
    if (scheme.in === "cookie") return "cookie";
    return scheme.in === "header"
      ? String(scheme.name).toLowerCase()
      : "authorization";
  });
}
