import { isText } from "../http/validation/json_form.ts";
import type { StandardSchemaV1 } from "../http/validation/schema.ts";
import type { OperationContext } from "./context.ts";
import type {
  DocumentedResponse,
  JsonSchema,
  MediaTypes,
  SocketMessages,
} from "./types.ts";

/** The response of a method that streams events, or opens a socket, by its status. */
export function liveResponses(
  context: OperationContext,
): Record<number, DocumentedResponse> {
  const { events, socket } = context.effective;
  return {
    ...(events !== undefined && { 200: describeEvents(context, events.value) }),
    ...(socket !== undefined && {
      101: { description: "Switching Protocols: a WebSocket is open" },
    }),
  };
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
  const itemSchema = eventSchema(
    Object.entries(events).map(([name, schema]) =>
      eventVariant(name, dataSchema(context, name, schema))
    ),
  );
  return {
    description,
    content: {
      "text/event-stream": context.document.openapiVersion === "3.2"
        ? { itemSchema }
        // Before 3.2 a schema is that of the whole body, which here is a text.
        : { schema: { type: "string" }, "x-oai-itemSchema": itemSchema },
    },
  };
}

/** One event of a stream, once its fields are read (HTML, 9.2.6). */
function eventSchema(variants: readonly JsonSchema[]): JsonSchema {
  return {
    type: "object",
    required: ["data"],
    properties: {
      event: { type: "string" },
      data: { type: "string" },
      id: { type: "string" },
      retry: { type: "integer", minimum: 0 },
    },
    ...(variants.length > 0 && { oneOf: variants }),
  };
}

/** An event without a name is a `message`. */
function eventVariant(name: string, data: JsonSchema): JsonSchema {
  return {
    ...(name !== "message" && { required: ["event"] }),
    properties: { event: { const: name }, data },
  };
}

/** The field `data` of an event, which is a text, or a text that holds JSON. */
function dataSchema(
  context: OperationContext,
  name: string,
  schema: StandardSchemaV1,
): JsonSchema {
  const { json, isText } = convert(context, schema, {
    member: `events.${name}`,
    direction: "output",
    name,
  });
  if (isText) return json!;
  return {
    contentMediaType: "application/json",
    ...(json !== undefined && { contentSchema: json }),
  };
}

function messageOf(
  context: OperationContext,
  schema: StandardSchemaV1,
  name: "receive" | "send",
): MediaTypes {
  const { json, isText } = convert(context, schema, {
    member: `socket.${name}`,
    direction: name === "receive" ? "input" : "output",
    name,
  });
  const mediaType = isText ? "text/plain" : "application/json";
  return { [mediaType]: { schema: json ?? {} } };
}

function convert(
  context: OperationContext,
  schema: StandardSchemaV1,
  { member, direction, name }: {
    readonly member: string;
    readonly direction: "input" | "output";
    readonly name: string;
  },
): { readonly json: JsonSchema | undefined; readonly isText: boolean } {
  const { effective: { events, socket }, document: { components } } = context;
  const { file } = (events ?? socket)!;
  const json = context.convert({ value: member, file }, schema, {
    direction,
    name: name.slice(0, 1).toUpperCase() + name.slice(1),
  });
  return {
    json: json && components.add(json, direction),
    isText: json !== undefined && isText(json),
  };
}
