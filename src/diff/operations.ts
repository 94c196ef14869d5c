import { normalType } from "../core/common/media_type.ts";
import { PATH_PARAMETER } from "../shared/document/parameters.ts";
import { streamSchema } from "../shared/document/responses.ts";
import { createExample } from "../shared/values/example.ts";
import type {
  DocumentedResponse,
  JsonSchema,
  MediaTypes,
  OpenApiDocument,
  Operation,
  Parameter,
} from "../openapi/mod.ts";
import {
  areHeaders,
  asCarried,
  bodyOf,
  cookieHeader,
  isCarried,
} from "../shared/wire.ts";
import type { LocatedOperation } from "./paths.ts";
import { type Direction, opened } from "./validators.ts";
import { examplesOf } from "./limits.ts";

/** A part of a request. */
export type RequestPart = "params" | "query" | "headers" | "cookies" | "body";

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

/** A part of an operation whose values have a schema. */
export interface Part {
  /** The place of the part, such as `query` or `200 body`. */
  readonly place: string;
  readonly direction: Direction;
  readonly schema: JsonSchema;
  /** The part of the request, unless the part is a message or of a response. */
  readonly part?: RequestPart;
  /** The media type of the body, if a version of the operation declares its types. */
  readonly type?: string | undefined;
}

/**
 * The parts of an operation. A status is the key of the headers of its response; the
 * keys of its bodies end with their media type.
 *
 * @param types The media types of the body that have parts of their own; by default, one
 * part stands for all types.
 */
export function partsOf(
  operation: Operation,
  types?: readonly string[],
): Map<string, Part> {
  return new Map([...partsFor(operation, types), ...partsFrom(operation)]);
}

/** The parts that a client sends. */
function* partsFor(
  { parameters = [], requestBody, "x-socket": socket }: Operation,
  types: readonly (string | undefined)[] = [undefined],
): Generator<readonly [string, Part]> {
  const direction = "request";
  const { path = [], query = [], header = [], cookie = [] } = Object.groupBy(
    parameters.filter((each) => !each["x-wildcard"]),
    (each) => each.in,
  );
  const named = [
    ["params", membersOf(path.map(neverEmpty))],
    ["query", queryOf(query)],
    ["headers", membersOf(header.map(lowercased))],
    ["cookies", membersOf(cookie)],
  ] as const;
  for (const [part, schema] of named) {
    yield [part, { place: part, part, direction, schema }];
  }
  // A plain schema reads JSON and forms, so its only schema is that of each type.
  const { content = {} } = requestBody ?? {};
  const [body] = Object.values(content);
  for (const type of body === undefined ? [] : types) {
    const schema = schemaOf(content[type ?? ""] ?? body!);
    const key = type === undefined ? "body" : `body ${type}`;
    yield [key, { place: "body", part: "body", direction, schema, type }];
  }
  const { receive: schema } = socket ?? {};
  const place = "socket.receive";
  if (schema !== undefined) yield [place, { place, direction, schema }];
}

/** The parts that the server sends. */
function* partsFrom(
  { responses, "x-socket": socket }: Operation,
): Generator<readonly [string, Part]> {
  const partOf = (place: string, given: JsonSchema): Part => {
    const schema = opened(given);
    return { place, direction: "response", schema };
  };
  const place = "socket.send";
  if (socket?.send !== undefined) yield [place, partOf(place, socket.send)];
  for (const [status, given] of Object.entries(responses)) {
    // The parts of a completed document have no references.
    const { headers = {}, content = {} } = given as DocumentedResponse;
    const all = Object.entries(headers)
      .map(([name, each]) => lowercased({ name, ...each }));
    yield [status, partOf(`${status} headers`, membersOf(all))];
    for (const [type, media] of Object.entries(content)) {
      const key = `${status} ${normalType(type) || type}`;
      yield [key, partOf(`${status} body`, schemaOf(media))];
    }
  }
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
  const members = all.map(({ name, schema }) => [name, schema]);
  return {
    type: "object",
    properties: Object.fromEntries(members),
    required: all.filter(({ required }) => required).map(({ name }) => name),
  };
}

/** The schema of a body, as in OpenAPI 3.1. */
function schemaOf({ schema, itemSchema }: MediaTypes[string]): JsonSchema {
  return itemSchema === undefined ? schema ?? {} : streamSchema(itemSchema);
}

function lowercased<Named extends { readonly name: string }>(
  given: Named,
): Named {
  return { ...given, name: given.name.toLowerCase() };
}

/** Parameters of a query; one of them may describe the whole query. */
function queryOf(all: readonly Parameter[]): JsonSchema {
  const { whole = [], named = [] } = Object.groupBy(
    all,
    ({ name, explode }) => name === "query" && explode ? "whole" : "named",
  );
  return whole.length === 0
    ? membersOf(named)
    : { allOf: [membersOf(named), ...whole.map(({ schema }) => schema)] };
}

/** A part of a request, its value, and the media type of a body. */
type Sent = readonly [RequestPart, unknown, string | undefined];

/** A request in which one part has a value, and the other parts are examples. */
export function requestWith(
  { method, path: { template }, operation }: LocatedOperation,
  [changed, value, changedType]: Sent,
  root: OpenApiDocument,
): ShownRequest {
  const parts = partsOf(operation);
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
  const path = template.replaceAll(
    PATH_PARAMETER,
    (_, name) => encodeURIComponent(params[name] ?? "x"),
  );
  const search = new URLSearchParams(stringsOf("query"));
  const types = Object.keys(operation.requestBody?.content ?? {});
  const type = changedType ?? types[0];
  const sent = bodyOf(type && valueOf("body"), type);
  const headers = stringsOf("headers");
  const cookie = cookieHeader(Object.fromEntries(stringsOf("cookies")));
  if (cookie !== "") headers.push(["cookie", cookie]);
  if (sent) headers.push(["content-type", sent.type]);
  const as = credentialsOf(operation, root);
  return {
    method,
    target: search.size === 0 ? path : `${path}?${search}`,
    headers: Object.fromEntries(headers),
    ...(as.length > 0 && { as }),
    ...(sent && { body: sent.text }),
  };
}

/** The headers of the first credentials that an operation accepts. */
function credentialsOf(
  { security: [first = {}] = [] }: Operation,
  { components }: OpenApiDocument,
): string[] {
  return Object.keys(first).map((name) => {
    const scheme: JsonSchema = { ...components.securitySchemes?.[name] };
    if (scheme.in === "cookie") return "cookie";
    return scheme.in === "header"
      ? String(scheme.name).toLowerCase()
      : "authorization";
  });
}
