import { mediaType } from "../../core/common/media_type.ts";
import { messageOf } from "../../core/common/values.ts";
import type { ErrorFormat } from "../../core/errors.ts";
import type { JsonSchema } from "../../core/schema/json_schema.ts";
import type { MediaTypes } from "../types.ts";
import { addWarning, type OperationContext } from "./context.ts";
import { freeName, toJsonSchema } from "./json_schema.ts";

/** The content of an error response in a format. */
export function formatContent(
  context: OperationContext,
  format: ErrorFormat,
): MediaTypes {
  const schema = describe(context, format);
  return { [mediaType(format.contentType)]: schema ? { schema } : {} };
}

/** The schema of a format as a component, named `Error` if the schema has no id. */
function describe(
  { route: { errorsFile }, document: { components, warnings } }:
    OperationContext,
  { schema }: ErrorFormat,
): JsonSchema | undefined {
  try {
    const json = toJsonSchema(schema, { direction: "output", name: "Error" });
    return components.add(
      typeof json.$ref === "string" ? json : named(json),
      "output",
    );
  } catch (error) {
    const message = `errors.schema has no JSON Schema: ${messageOf(error)}`;
    addWarning(warnings, errorsFile!, message);
    return undefined;
  }
}

function named({ $defs = {}, ...root }: JsonSchema): JsonSchema {
  const definitions = $defs as Readonly<Record<string, JsonSchema>>;
  const name = freeName("Error", new Set(Object.keys(definitions)));
  return { $ref: `#/$defs/${name}`, $defs: { ...definitions, [name]: root } };
}
