import { isForm } from "../../core/common/media_type.ts";
import { isObject } from "../../core/common/values.ts";
import { mapKeywords } from "../../shared/document/json_schema.ts";
import { deprecationText } from "../../shared/document/operation.ts";
import { flatten } from "../../shared/flat_schema.ts";
import type { JsonSchema } from "../../core/schema/json_schema.ts";
import type { OpenApiDocument, Operation } from "../../shared/types.ts";

/** A part of a document, which is changed in place. */
type Part = Record<string, unknown>;

type Members = Readonly<Record<string, Part>>;

/**
 * Copies a document for Swagger UI, which does not show some facts as they stand:
 *
 * - The pattern of a format, such as `email`, would be the source of an example.
 * - An array in a form would be sent as one field with commas.
 * - Streams show their events by name, and sockets show their messages.
 * - The description of an operation shows its access, its end and its replacement.
 */
export function shownDocument(document: OpenApiDocument): OpenApiDocument {
  const copy = mapKeywords(document, withoutFormatPattern);
  for (const item of Object.values(copy.paths)) {
    for (const operation of Object.values(item)) {
      const { content = {} } = operation.requestBody ?? {};
      for (const [type, media] of Object.entries(content)) {
        if (isForm(type)) repeatArrays(media, copy);
      }
      const responses = operation.responses as Part as Members;
      for (const { content } of Object.values(responses)) {
        showEvents((content as Members | undefined)?.["text/event-stream"]);
      }
      const messages = (operation as unknown as Part)["x-socket"] ?? {};
      if (Object.keys(messages).length > 0) {
        showMessages(responses[101]!, messages);
      }
      const description = descriptionOf(operation);
      if (description !== "") Object.assign(operation, { description });
    }
  }
  return copy;
}

function withoutFormatPattern(schema: JsonSchema): JsonSchema {
  const { pattern: _, ...rest } = schema;
  return schema.type === "string" && schema.format !== undefined
    ? rest
    : schema;
}

function repeatArrays(media: Part, root: OpenApiDocument): void {
  const { properties } = flatten(media.schema, root)?.schema ?? {};
  const explode = { style: "form", explode: true };
  media.encoding = Object.fromEntries(
    Object.entries(properties ?? {})
      .filter(([, schema]) => isObject(schema) && schema.type === "array")
      .map(([name]) => [name, explode]),
  );
}

/** The description of an operation, its end and its access. */
function descriptionOf(operation: Operation): string {
  const { description, "x-sunset": sunset, "x-access": access } = operation;
  const about = operation["x-deprecated"];
  return [
    description,
    deprecationText({ ...about, ...(sunset && { sunset }) }),
    access && `Access: ${access.map((word) => `\`${word}\``).join(", ")}`,
  ].filter(Boolean).join("\n\n");
}

/** Describes a stream as an object of the data of its events. */
function showEvents(media: Part | undefined): void {
  // A stream that is declared with only a media type does not describe its events.
  if (media?.itemSchema === undefined) return;
  const { anyOf = [], oneOf = anyOf } = media.itemSchema as JsonSchema;
  const events = (oneOf as JsonSchema[]).map(({ properties }) => {
    const { event, data: { contentSchema = {} } } = properties as {
      readonly event: { readonly const: string };
      readonly data: { readonly contentSchema?: JsonSchema };
    };
    return [event.const, contentSchema] as const;
  });
  if (events.length > 0) {
    const description = "The data of each event by name";
    media.schema = objectOf(description, Object.fromEntries(events));
  }
}

/** Describes the messages of a socket as the content of the response that opens it. */
function showMessages(opened: Part, messages: object): void {
  const description =
    "The client sends messages of `receive`, and receives those of `send`";
  opened.content = { "WebSocket": { schema: objectOf(description, messages) } };
}

function objectOf(description: string, properties: object): JsonSchema {
  return { type: "object", description, properties };
}
