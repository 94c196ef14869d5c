import { STATUS_TEXT, type StatusCode } from "@std/http/status";
import { isForm, isJson, mediaType } from "../../core/common/media_type.ts";
import { isObject } from "../../core/common/values.ts";
import { targetOf } from "../../core/schema/json_schema.ts";
import { createExample } from "../../shared/values/example.ts";
import {
  mapKeywords,
  withoutNoise,
} from "../../shared/document/json_schema.ts";
import { deprecationText } from "../../shared/document/operation.ts";
import { flatten } from "../../shared/flat_schema.ts";
import type {
  JsonSchema,
  OpenApiDocument,
  Operation,
} from "../../shared/types.ts";

/** Members that only some problems have. */
const RARE_MEMBERS = ["errors", "issueCount", "instance"];

/** A part of a document, which is changed in place. */
type Part = Record<string, unknown>;

type Members = Readonly<Record<string, Part>>;

/**
 * Copies a document for the page, with an example of every parameter, body and
 * response. Keeps existing examples, and removes keywords without meaning for readers.
 *
 * The document itself does not contain these examples, since they follow from its
 * schemas. The examples would make the document longer, and would look like examples by
 * the author.
 *
 * - Only required parameters get an example. The page fills the example into the form,
 * whose optional fields should stay empty.
 * - The example of a problem has the status of its response.
 * - Streams show their events, and sockets show their messages.
 * - The description of an operation shows its access.
 * - Deprecated operations show their dates and their replacement.
 */
export function withExamples(document: OpenApiDocument): OpenApiDocument {
  const copy = structuredClone(document);
  for (const item of Object.values(copy.paths)) {
    for (const operation of Object.values(item)) {
      addParameters(operation.parameters ?? [], copy);
      addRequestBody(operation.requestBody?.content ?? {}, copy);
      showLive(operation as unknown as Part, copy);
      const description = descriptionOf(operation);
      if (description !== "") Object.assign(operation, { description });
      addResponses(operation.responses as Part, copy);
    }
  }
  return mapKeywords(copy, simplified);
}

/** Removes the limits and patterns that libraries add to every integer and format. */
function simplified(given: JsonSchema): JsonSchema {
  const { pattern, ...schema } = withoutNoise(given);
  const isNoise = schema.type === "string" && typeof schema.format === "string";
  return pattern === undefined || isNoise ? schema : { ...schema, pattern };
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
        // A wildcard may contain slashes.
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

/** Adds an example to the schema of each field of a form, where the page reads it. */
function addFormFields(media: Part, root: OpenApiDocument): void {
  const flat = flatten(media.schema, root);
  const { properties } = flat?.schema ?? {};
  if (!isObject(properties)) return;
  const fields = Object.entries(properties).map(([name, schema]) => {
    const value = createExample(schema as JsonSchema, { root, name });
    const known = value === undefined || !isObject(schema) ||
      hasExample(schema);
    return [name, known ? schema : { ...schema, examples: [value] }] as const;
  });
  media.schema = { ...flat?.schema, properties: Object.fromEntries(fields) };
  // By default, Swagger UI sends an array as one field with commas.
  const explode = { style: "form", explode: true };
  media.encoding = Object.fromEntries(
    fields.filter(([, schema]) => isObject(schema) && schema.type === "array")
      .map(([name]) => [name, explode]),
  );
}

function addResponses(responses: Part, root: OpenApiDocument): void {
  for (const [status, given] of Object.entries(responses as Members)) {
    // A shared problem may have a different status in each operation.
    const response = structuredClone(
      "$ref" in given ? targetOf(given.$ref, root) as Part : given,
    );
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

function addMediaExample(
  type: string,
  media: Part,
  root: OpenApiDocument,
): void {
  if (hasExample(media) || !isObject(media.schema)) return;
  const value = createExample(media.schema, { root });
  // Examples of schemas are JSON values. Bodies of other media types must be strings.
  if (isJson(mediaType(type)) || typeof value === "string") {
    setExample(media, value);
  }
}

/** An example of Bough's problem document for a status; `default` means 500. */
function problemExample(
  schema: JsonSchema,
  under: string,
  description: string,
  root: OpenApiDocument,
): unknown {
  const example = createExample(schema, { root });
  if (!isObject(example)) return example;
  const { properties = {}, required = [] } = flatten(schema, root)?.schema ??
    {};
  const needed = new Set(required as readonly string[]);
  const status = under === "default"
    ? 500
    : Number(under.replaceAll(/x/gi, "0"));
  const title = STATUS_TEXT[status as StatusCode] ?? `Status ${status}`;
  const problem = new Map(Object.entries(example));
  for (const name of RARE_MEMBERS) {
    if (!needed.has(name)) problem.delete(name);
  }
  const isRepeated = under === "default" || description === title;
  const own = { title, status, detail: isRepeated ? undefined : description };
  for (const [name, value] of Object.entries(own)) {
    const member = (properties as Part)[name];
    if (!isObject(member) || hasExample(member)) continue;
    if (value !== undefined) problem.set(name, value);
    else if (!needed.has(name)) problem.delete(name);
  }
  return Object.fromEntries(problem);
}

/** Whether a parameter, a media type or a schema has its own example. */
function hasExample(part: object): boolean {
  return ["example", "examples", "const", "default", "enum"].some((name) =>
    Object.hasOwn(part, name)
  );
}

function setExample(part: Part, value: unknown): void {
  if (value !== undefined) part.example = value;
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

/**
 * Rewrites event streams and sockets for Swagger UI: a stream becomes an object of its
 * events by name, with an example of its text. The messages of a socket become the
 * content of status 101.
 */
function showLive(operation: Part, root: OpenApiDocument): void {
  for (const { content } of Object.values(operation.responses as Members)) {
    const media = (content as Members | undefined)?.["text/event-stream"];
    if (media !== undefined) showEvents(media, root);
  }
  const messages = operation["x-socket"] ?? {};
  const members = Object.entries(messages as Members).map(([name, schema]) => {
    const side = name === "receive" ? "from" : "to";
    const description = `A message ${side} the client, as JSON`;
    return [name, { description, ...schema }] as const;
  });
  if (members.length === 0) return;
  const properties = Object.fromEntries(members);
  const example = Object.fromEntries(
    members.map(([name, schema]) =>
      [name, createExample(schema, { root, name })] as const
    ),
  );
  const opened = (operation.responses as Members)[101]!;
  opened.content = {
    "WebSocket": { schema: { type: "object", properties }, example },
  };
}

function showEvents(media: Part, root: OpenApiDocument): void {
  const { contentSchema } = media.schema as { contentSchema?: JsonSchema };
  // A stream that is declared with only a media type does not describe its events.
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
    description: "The data of each event by name",
    properties: Object.fromEntries(events),
  };
  media.example = events.map(([name, schema]) => {
    const data = JSON.stringify(createExample(schema, { root, name }) ?? null);
    return name === "message"
      ? `data: ${data}`
      : `event: ${name}\ndata: ${data}`;
  }).join("\n\n");
}
