import { STATUS_TEXT, type StatusCode } from "@std/http/status";
import { isForm } from "../../body/form.ts";
import { isJson, mediaType } from "../../common/media_type.ts";
import { isObject } from "../../common/values.ts";
import { createExample } from "../examples/example.ts";
import { flatten } from "../flat_schema.ts";
import type {
  JsonSchema,
  MediaTypes,
  OpenApiDocument,
  SocketMessages,
} from "../types.ts";

/** Members of a problem that only some responses have. */
const RARE_MEMBERS = ["errors", "issueCount", "instance"];

/** A part of a document that is changed in place. */
type Part = Record<string, unknown>;

/**
 * A copy of a document with an example of every parameter, body and response, for
 * the page. What has an example keeps it. Schemas say only what readers want to know.
 *
 * The document that clients read does not have them: each follows from its schema,
 * so they would tell nothing, make it longer, and look like the author's.
 *
 * - A parameter gets one if it is required. The page fills it into its form, and
 *   what may be left out is better left empty there.
 * - A problem has the status that it stands under: `{ type, title, status, detail }`.
 * - A stream of events is shown as its events, and a socket as its messages.
 */
export function withExamples(document: OpenApiDocument): OpenApiDocument {
  const copy = structuredClone(document);
  for (const item of Object.values(copy.paths)) {
    for (const operation of Object.values(item)) {
      addParameters(operation.parameters ?? [], copy);
      addRequestBody(operation.requestBody?.content ?? {}, copy);
      showLive(operation as unknown as Part, copy);
      addResponses(operation.responses as Part, copy);
    }
  }
  return withoutNoise(copy);
}

/**
 * Leaves out what libraries write of every number and text, and nobody reads: that a
 * whole number is a safe integer, and the pattern of a format that is named.
 */
function withoutNoise(document: OpenApiDocument): OpenApiDocument {
  return JSON.parse(JSON.stringify(document), function (keyword, value) {
    const isNoise =
      keyword === "minimum" && value === Number.MIN_SAFE_INTEGER ||
      keyword === "maximum" && value === Number.MAX_SAFE_INTEGER ||
      keyword === "pattern" && this.type === "string" &&
        typeof this.format === "string";
    return isNoise ? undefined : value;
  });
}

function addParameters(
  parameters: readonly object[],
  root: OpenApiDocument,
): void {
  for (const parameter of parameters as Part[]) {
    const { name, required, schema } = parameter;
    if (required !== true || hasExample(parameter)) continue;
    setExample(
      parameter,
      parameter["x-wildcard"] === true
        // It may hold slashes.
        ? "folder/file.txt"
        : createExample(schema as JsonSchema, { root, name: String(name) }),
    );
  }
}

function addRequestBody(content: object, root: OpenApiDocument): void {
  for (const [type, media] of Object.entries(content)) {
    if (isForm(type)) addFormFields(media, root);
    else addMediaExample(type, media, root);
  }
}

/** Gives each field of a form an example: the page reads them from its schema. */
function addFormFields(media: Part, root: OpenApiDocument): void {
  const flat = flatten(media.schema, root, new Set());
  const { properties } = flat?.schema ?? {};
  if (!isObject(properties)) return;
  const fields = Object.entries(properties).map(([name, schema]) => {
    const value = createExample(schema as JsonSchema, { root, name });
    const known = value === undefined || !isObject(schema) ||
      hasExample(schema);
    return [name, known ? schema : { ...schema, examples: [value] }] as const;
  });
  media.schema = { ...flat?.schema, properties: Object.fromEntries(fields) };
}

function addResponses(responses: Part, root: OpenApiDocument): void {
  for (const [status, given] of Object.entries(responses)) {
    // A problem that many operations share has another status under each.
    const response = structuredClone(resolve(given, root));
    responses[status] = response;
    for (const [type, media] of Object.entries(response.content ?? {})) {
      if (type !== "application/problem+json") {
        addMediaExample(type, media, root);
      } else if (!hasExample(media)) {
        const { description = "" } = response;
        setExample(
          media,
          problemExample(media.schema, status, String(description), root),
        );
      }
    }
  }
}

/** The response itself, where only a reference to it is given. */
function resolve(given: unknown, { components }: OpenApiDocument): Part {
  const { $ref } = given as { $ref?: string };
  const name = $ref?.replace("#/components/responses/", "");
  return (name === undefined ? given : components.responses[name]) as Part;
}

function addMediaExample(
  type: string,
  media: Part,
  root: OpenApiDocument,
): void {
  if (hasExample(media) || !isObject(media.schema)) return;
  const value = createExample(media.schema, { root });
  // A value of a schema is the JSON of a body. Other bodies are texts.
  if (isJson(mediaType(type)) || typeof value === "string") {
    setExample(media, value);
  }
}

/** A problem as Bough writes it for a status. `default` stands for a 500. */
function problemExample(
  schema: JsonSchema,
  under: string,
  description: string,
  root: OpenApiDocument,
): unknown {
  const example = createExample(schema, { root });
  if (!isObject(example)) return example;
  const { properties = {}, required = [] } =
    flatten(schema, root, new Set())?.schema ?? {};
  const needed = new Set(required as readonly string[]);
  const status = under === "default"
    ? 500
    : Number(under.replaceAll(/x/gi, "0"));
  const title = STATUS_TEXT[status as StatusCode] ?? `Status ${status}`;
  const problem = new Map(Object.entries(example));
  for (const name of RARE_MEMBERS) {
    if (!needed.has(name)) problem.delete(name);
  }
  const isTold = under === "default" || description === title;
  const told = { title, status, detail: isTold ? undefined : description };
  for (const [name, value] of Object.entries(told)) {
    const member = (properties as Part)[name];
    if (!isObject(member) || hasExample(member)) continue;
    if (value !== undefined) problem.set(name, value);
    else if (!needed.has(name)) problem.delete(name);
  }
  return Object.fromEntries(problem);
}

/** Whether a parameter, a media type or a schema says itself what it looks like. */
function hasExample(part: object): boolean {
  return ["example", "examples", "const", "default", "enum"].some((name) =>
    Object.hasOwn(part, name)
  );
}

function setExample(part: Part, value: unknown): void {
  if (value !== undefined) part.example = value;
}

/**
 * Writes event streams and sockets in a form that a viewer shows: a stream as its
 * events by name, with an example of its text, and the messages of a socket as a
 * content of the 101.
 */
function showLive(operation: Part, root: OpenApiDocument): void {
  for (const response of Object.values(operation.responses as Part)) {
    const { content } = response as { content?: MediaTypes };
    const media = content?.["text/event-stream"];
    if (media !== undefined) showEvents(media as Part, root);
  }
  const messages = operation["x-socket"] as SocketMessages | undefined;
  if (messages === undefined) return;
  const { receive, send } = messages;
  const properties: Record<string, JsonSchema> = {
    ...(receive && {
      receive: { description: "A message of the client, as JSON", ...receive },
    }),
    ...(send && {
      send: { description: "A message to the client, as JSON", ...send },
    }),
  };
  const members = Object.entries(properties);
  if (members.length === 0) return;
  const example = Object.fromEntries(
    members.map(([name, schema]) =>
      [name, createExample(schema, { root, name })] as const
    ),
  );
  const opened = (operation.responses as Record<number, Part>)[101]!;
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
    const { event, data: { contentSchema = {} } } = properties as {
      readonly event: { readonly const: string };
      readonly data: { readonly contentSchema?: JsonSchema };
    };
    return [event.const, contentSchema] as const;
  });
  if (events.length === 0) return;
  media.schema = {
    type: "object",
    description: "The data of each event, by its name",
    properties: Object.fromEntries(events),
  };
  media.example = events.map(([name, schema]) => {
    const data = JSON.stringify(createExample(schema, { root, name }) ?? null);
    return name === "message"
      ? `data: ${data}`
      : `event: ${name}\ndata: ${data}`;
  }).join("\n\n");
}
