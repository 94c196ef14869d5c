import { STATUS_TEXT, type StatusCode } from "@std/http/status";
import { isJson, mediaType } from "../../core/common/media_type.ts";
import { capitalize } from "../../core/common/values.ts";
import type {
  DeclaredContent,
  DeclaredResponse,
  Located,
} from "../../core/types/effective_schema.ts";
import { BODYLESS } from "../../core/common/response.ts";
import type {
  EventSchemas,
  StandardSchemaV1,
} from "../../core/types/schema.ts";
import type { JsonSchema } from "../../core/schema/json_schema.ts";
import type {
  DocumentedResponse,
  MediaTypes,
  Operation,
  SocketMessages,
} from "../types.ts";
import type { OperationContext } from "./context.ts";
import { inlineSchema } from "./json_schema.ts";
import { describesObject, membersOf, responseHeaders } from "./parameters.ts";
import {
  mergeResponses,
  ownProblems,
  problemContent,
  type ProblemOptions,
} from "./problems.ts";

/** Describes the declared responses of an operation, and the responses of Bough itself. */
export function describeResponses(
  context: OperationContext,
  options: ProblemOptions,
): Operation["responses"] {
  const problems = ownProblems(context, options);
  const { response, events, socket } = context.effective;
  const responses: Record<string, DocumentedResponse> = {};
  if (!events && !socket && !declaresSuccess(context)) {
    responses[200] = { description: "OK" };
  }
  for (const [status, { value, file }] of response) {
    responses[status] = mergeResponses(
      describe(context, { value: status, file }, value),
      problems[status]?.response,
    );
  }
  if (events) responses[200] = describeEvents(context, events);
  if (socket) {
    responses[101] = {
      description: "Switching Protocols: the WebSocket is open",
    };
  }
  const { components } = context.document;
  const own = Object.entries(problems)
    .filter(([status]) => !(status in responses))
    .map(([status, { name, response }]) => [
      status,
      // Responses to HEAD differ from shared responses, since they have no body.
      name === undefined || context.method === "HEAD"
        ? response
        : components.share(name, response),
    ]);
  return { ...responses, ...Object.fromEntries(own) };
}

/**
 * Whether the operation declares a successful response. A redirect counts only if the
 * route itself declares the redirect. A redirect that a folder declares, for example to
 * a login, is not a success.
 */
function declaresSuccess(
  { effective: { response }, route }: OperationContext,
): boolean {
  return [...response].some(([status, { file }]) =>
    status < (file === route.file ? 400 : 300)
  );
}

function describe(
  context: OperationContext,
  { value: status, file }: Located<number>,
  { bodies, headers, description }: DeclaredResponse,
): DocumentedResponse {
  const member = { value: `response[${status}].headers`, file };
  const name = `${status}Headers`;
  const json = context.convert(member, headers, { direction: "output", name });
  if (json !== undefined) warnOfHeaders(context, member, json);
  const { components } = context.document;
  const described = Object.entries(json ? responseHeaders(json) : {})
    .map(([name, { schema, ...header }]) =>
      [name, { ...header, schema: components.add(schema, "output") }] as const
    );
  return {
    description: description ?? STATUS_TEXT[status as StatusCode] ??
      `Status ${status}`,
    ...(json !== undefined && { headers: Object.fromEntries(described) }),
    ...contentOf(context, { value: status, file }, bodies),
  };
}

function contentOf(
  context: OperationContext,
  { value: status, file }: Located<number>,
  bodies: readonly DeclaredContent[],
): { content?: MediaTypes } {
  const isEmpty = bodies.length === 0 || BODYLESS.has(status);
  if (isEmpty || context.method === "HEAD") return {};
  const member = { value: `response[${status}]`, file };
  const options = { direction: "output", name: String(status) } as const;
  const all = bodies.map((
    { mediaType = "application/json", schema: body, isProblem },
  ): MediaTypes => {
    if (body === undefined) {
      return { [mediaType]: { schema: schemaOfType(mediaType) } };
    }
    if (isProblem) return problemContent(context, status).content ?? {};
    const schema = context.describe(member, body, options) ?? {};
    return { [mediaType]: { schema } };
  });
  return { content: Object.assign({}, ...all) };
}

/** Returns the JSON Schema of a body that is declared with only a media type. */
function schemaOfType(declared: string): JsonSchema {
  const type = mediaType(declared);
  if (isJson(type)) return {};
  return type.startsWith("text/")
    ? { type: "string" }
    : { type: "string", format: "binary" };
}

/** Warns of headers without an object schema, and of names with uppercase letters. */
export function warnOfHeaders(
  context: OperationContext,
  member: Located<string>,
  json: JsonSchema,
): void {
  const { properties } = membersOf(json);
  if (properties.size === 0 && !describesObject(json)) {
    context.warn(
      member,
      "is not an object schema, so the document omits its headers",
    );
  }
  for (const name of properties.keys()) {
    if (name === name.toLowerCase()) continue;
    context.warn(
      member,
      `names "${name}", but names of headers are lowercase; write "${name.toLowerCase()}"`,
    );
  }
}

export function socketMessages(
  context: OperationContext,
): SocketMessages | undefined {
  const { socket } = context.effective;
  if (socket === undefined) return undefined;
  const { receive, send } = socket.value;
  return {
    ...(receive && { receive: messageOf(context, receive, "receive") }),
    ...(send && { send: messageOf(context, send, "send") }),
  };
}

function describeEvents(
  context: OperationContext,
  { value: events, file }: Located<EventSchemas>,
): DocumentedResponse {
  const names = Object.keys(events).map((name) => `\`${name}\``).join(", ");
  const description = names === ""
    ? "A stream of events"
    : `A stream of events: ${names}`;
  if (context.method === "HEAD") return { description };
  const variants = Object.entries(events).map(([name, schema]): JsonSchema => {
    const member = { value: `events[${JSON.stringify(name)}]`, file };
    const options = { direction: "output", name: capitalize(name) } as const;
    const contentSchema = context.describe(member, schema, options);
    const data = {
      contentMediaType: "application/json",
      ...(contentSchema && { contentSchema }),
    };
    return {
      ...(name !== "message" && { required: ["event"] }),
      properties: { event: { const: name }, data },
    };
  });
  // An unnamed event can match several variants.
  const union = Object.hasOwn(events, "message") ? "anyOf" : "oneOf";
  const itemSchema = {
    ...ANY_EVENT,
    ...(variants.length > 0 && { [union]: variants }),
  };
  return {
    description,
    content: {
      "text/event-stream": context.document.openapiVersion === "3.2"
        ? { itemSchema }
        : { schema: streamSchema(itemSchema) },
    },
  };
}

/** Before 3.2, a schema describes the whole body: a string that contains events. */
export function streamSchema(itemSchema: JsonSchema): JsonSchema {
  return {
    type: "string",
    contentMediaType: "text/event-stream",
    contentSchema: { type: "array", items: itemSchema },
  };
}

/** The JSON Schema of one event of a stream with parsed fields (HTML, 9.2.6). */
const ANY_EVENT: JsonSchema = {
  type: "object",
  required: ["data"],
  properties: {
    event: { type: "string" },
    data: { type: "string" },
    id: { type: "string" },
    retry: { type: "integer", minimum: 0 },
  },
};

/**
 * Returns the JSON Schema of the messages in one direction. Replaces references with
 * their definitions, unless the schema is recursive, since tools do not follow
 * references in an extension.
 */
function messageOf(
  context: OperationContext,
  schema: StandardSchemaV1,
  name: "receive" | "send",
): JsonSchema {
  const { file } = context.effective.socket!;
  const direction = name === "receive" ? "input" : "output";
  const json = context.convert({ value: `socket.${name}`, file }, schema, {
    direction,
    name: capitalize(name),
  });
  if (json === undefined) return {};
  return inlineSchema(json) ??
    context.document.components.add(json, direction);
}
