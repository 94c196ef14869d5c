import { isObject } from "../../common/values.ts";
import { isText, resolveRoot } from "../../schema/json_schema.ts";
import { runSchema } from "../../schema/run_schema.ts";
import type { StandardSchemaV1 } from "../../types/schema.ts";
import type { JsonSchema, MediaTypes, Operation } from "../types.ts";
import type { OperationContext } from "./context.ts";

/** The media types of forms. */
const FORMS = ["application/x-www-form-urlencoded", "multipart/form-data"];

/** Describes the body of a request, if it has a schema. */
export function requestBody(
  context: OperationContext,
): Operation["requestBody"] {
  const { schema: { body }, route: { file } } = context;
  if (body === undefined) return undefined;
  const json = context.convert({ value: "body", file }, body, {
    direction: "input",
    name: "Body",
  });
  return {
    required: !isOptional(body),
    content: bodyContent(
      json,
      (json) => context.document.components.add(json, "input"),
    ),
  };
}

/** Whether a body may be a form, which a page of another origin may send. */
export function takesForms(body: Operation["requestBody"]): boolean {
  return body !== undefined && FORMS.some((type) => type in body.content);
}

function bodyContent(
  json: JsonSchema | undefined,
  addSchema: (json: JsonSchema) => JsonSchema,
): MediaTypes {
  if (json === undefined) return { "application/json": { schema: {} } };
  const schema = addSchema(json);
  return Object.fromEntries(bodyTypes(json).map((type) => [type, { schema }]));
}

/**
 * The media types of a body. A form holds only texts and files, so it is listed
 * where all properties are strings. A body with a file can only be a form.
 */
export function bodyTypes(json: JsonSchema): string[] {
  const { properties: named = {}, $defs } = resolveRoot(json);
  const properties = Object.values(named as Record<string, JsonSchema>);
  if (properties.some(isFile)) return ["multipart/form-data"];
  const isForm = properties.length > 0 &&
    properties.every((property) => isText({ $defs, ...property }));
  return ["application/json", ...(isForm ? FORMS : [])];
}

/** Whether a property is a file, or a list of files. */
function isFile({ format, items }: JsonSchema): boolean {
  return format === "binary" ||
    (isObject(items) && items.format === "binary");
}

/** Whether a request may omit its body: the schema accepts `undefined`. */
function isOptional(schema: StandardSchemaV1): boolean {
  try {
    const result = runSchema(schema, undefined, "body");
    if (!(result instanceof Promise)) return result.issues === undefined;
    result.catch(() => {});
    return false;
  } catch {
    return false;
  }
}
