import type { StandardSchemaV1 } from "../../types/schema.ts";
import type {
  DocumentedResponse,
  JsonSchema,
  SocketMessages,
} from "../types.ts";
import { capitalize, type OperationContext } from "./context.ts";
import { inlineSchema } from "./json_schema.ts";

/** The response of a method that streams events, or opens a socket, by its status. */
export function liveResponses(
  context: OperationContext,
): Record<number, DocumentedResponse> {
  const { events, socket } = context.effective;
  const responses: Record<number, DocumentedResponse> = {};
  if (events !== undefined) {
    responses[200] = describeEvents(context, events.value);
  }
  if (socket !== undefined) {
    responses[101] = {
      description: "Switching Protocols: a WebSocket is open",
    };
  }
  return responses;
}

/** The messages of a method that opens a socket. */
export function socketMessages(
  context: OperationContext,
): SocketMessages | undefined {
  const { socket } = context.effective;
  if (socket === undefined) return undefined;
  const { receive, send } = socket.value;
  return {
    ...(receive !== undefined && {
      receive: messageOf(context, receive, "receive"),
    }),
    ...(send !== undefined && { send: messageOf(context, send, "send") }),
  };
}

function describeEvents(
  context: OperationContext,
  events: Readonly<Record<string, StandardSchemaV1>>,
): DocumentedResponse {
  const names = Object.keys(events).map((name) => `\`${name}\``).join(", ");
  const description = names === ""
    ? "A stream of events"
    : `A stream of events: ${names}`;
  if (context.method === "HEAD") return { description };
  const variants = Object.entries(events).map(([name, schema]) =>
    eventVariant(name, dataSchema(context, name, schema))
  );
  // Only an event without a name could be one of several, as far as tools can tell.
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
        // Before 3.2 a schema is that of the whole body.
        : { schema: textOf(itemSchema) },
    },
  };
}

/** A text that is read as a list of events: JSON Schema 2020-12 can say so by itself. */
function textOf(itemSchema: JsonSchema): JsonSchema {
  return {
    type: "string",
    contentMediaType: "text/event-stream",
    contentSchema: { type: "array", items: itemSchema },
  };
}

/** One event of a stream, once its fields are read (HTML, 9.2.6). */
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

/** An event without a name is a `message`. */
function eventVariant(name: string, data: JsonSchema): JsonSchema {
  return {
    ...(name !== "message" && { required: ["event"] }),
    properties: { event: { const: name }, data },
  };
}

/** The field `data` of an event: a text that holds JSON. */
function dataSchema(
  context: OperationContext,
  name: string,
  schema: StandardSchemaV1,
): JsonSchema {
  const { file } = context.effective.events!;
  const member = { value: `events[${JSON.stringify(name)}]`, file };
  const json = context.convert(member, schema, {
    direction: "output",
    name: capitalize(name),
  });
  const { components } = context.document;
  return {
    contentMediaType: "application/json",
    ...(json !== undefined && {
      contentSchema: components.add(json, "output"),
    }),
  };
}

/**
 * The JSON of the messages of one direction. It stands alone: tools do not look for
 * references in what OpenAPI does not define.
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
