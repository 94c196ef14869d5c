import { createExample } from "./example.ts";
import type {
  JsonSchema,
  MediaTypes,
  OpenApiDocument,
  SocketMessages,
} from "./types.ts";

/** A part of a document that is changed in place. */
type Part = Record<string, unknown>;

const DESCRIPTIONS: Readonly<Record<keyof SocketMessages, string>> = {
  receive: "A message of the client, as JSON",
  send: "A message to the client, as JSON",
};

/**
 * Writes event streams and sockets in a form that a viewer shows: a stream as its
 * events by name, with an example of its text, and the messages of a socket as a
 * content of the 101.
 */
export function showLive(operation: Part, root: OpenApiDocument): void {
  for (const response of Object.values(operation.responses as Part)) {
    const { content } = response as { content?: MediaTypes };
    const media = content?.["text/event-stream"];
    if (media !== undefined) showEvents(media as Part, root);
  }
  const messages = operation["x-socket"] as SocketMessages | undefined;
  if (messages === undefined) return;
  const properties = Object.fromEntries(
    Object.entries(messages).map(([name, schema]: [string, JsonSchema]) => [
      name,
      { description: DESCRIPTIONS[name as keyof SocketMessages], ...schema },
    ]),
  );
  if (Object.keys(properties).length === 0) return;
  const opened = (operation.responses as Record<number, Part>)[101]!;
  const example = Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [
      name,
      createExample(schema, { root, name }),
    ]),
  );
  opened.content = {
    "WebSocket": { schema: { type: "object", properties }, example },
  };
}

function showEvents(media: Part, root: OpenApiDocument): void {
  const { contentSchema } = media.schema as { contentSchema?: JsonSchema };
  // A stream that is known by its media type alone says nothing of its events.
  if (contentSchema === undefined) return;
  const { anyOf, oneOf = anyOf ?? [] } = contentSchema.items as JsonSchema;
  const events = (oneOf as JsonSchema[]).map(({ properties }) => {
    const { event, data } = properties as {
      readonly event: { readonly const: string };
      readonly data: JsonSchema;
    };
    const { contentSchema: schema = {} } = data;
    return { name: event.const, schema: schema as JsonSchema };
  });
  if (events.length === 0) return;
  media.schema = {
    type: "object",
    description: "The data of each event, by its name",
    properties: Object.fromEntries(
      events.map(({ name, schema }) => [name, schema]),
    ),
  };
  media.example = events.map(({ name, schema }) => {
    const data = JSON.stringify(createExample(schema, { root, name }) ?? null);
    return name === "message"
      ? `data: ${data}`
      : `event: ${name}\ndata: ${data}`;
  }).join("\n\n");
}
