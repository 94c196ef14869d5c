import { mediaType } from "../../core/common/media_type.ts";
import { getOrCompute, messageOf } from "../../core/common/values.ts";
import type { ErrorFormat, ErrorParts } from "../../core/errors.ts";
import {
  detailsOf,
  formatError,
  valueOf,
} from "../../core/operation/error_format.ts";
import type { JsonSchema, MediaTypes } from "../types.ts";
import { addWarning, type OperationContext } from "./context.ts";
import { freeName, later, toJsonSchema } from "./json_schema.ts";

/** The content of an error response, with an example that its format creates. */
export function formatContent(
  context: OperationContext,
  format: ErrorFormat,
  { name, error }: {
    /** The name of the response, if operations share the response. */
    readonly name: string | undefined;
    readonly error: ErrorParts;
  },
): MediaTypes {
  const { route: { path }, method } = context;
  const request = name === undefined
    ? new Request("http://localhost" + path.replaceAll(/[[\]]/g, ""), {
      method,
    })
    : ANY_REQUEST;
  const schema = describe(context, format);
  const example = exampleOf(error, format, request);
  return {
    [mediaType(format.contentType)]: {
      ...(schema !== undefined && { schema }),
      ...(example !== undefined && { example }),
    },
  };
}

/** The request for an example that operations share. */
const ANY_REQUEST = new Request("http://localhost/");

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

/** The value of a format for an error; `undefined` if the format fails or varies. */
function exampleOf(
  error: ErrorParts,
  format: ErrorFormat,
  request: Request,
): unknown {
  try {
    const details = detailsOf(error, format);
    const body = formatError(details, format, request);
    const varies = getOrCompute(
      varying,
      format,
      () => later(() => formatError(details, format, request)) !== body,
    );
    return varies ? undefined : valueOf(body, format);
  } catch {
    return undefined;
  }
}

/**
 * Whether the results of each format vary. A time or a random id in an example would
 * change the document with each run.
 */
const varying = new WeakMap<ErrorFormat, boolean>();
