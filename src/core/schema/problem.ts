import { isObject } from "../common/values.ts";
import type { StandardSchemaV1 } from "../types/schema.ts";
import type { JsonSchema } from "./json_schema.ts";
import { SCHEMA_PARTS } from "./check_request.ts";

/**
 * A problem document (RFC 9457), the default format of the error responses of Bough.
 */
export interface ProblemDocument {
  /** A URI that identifies the type of the problem. */
  readonly type: string;
  /** A short summary of the type. */
  readonly title: string;
  /** The status of the response. */
  readonly status: number;
  /** An explanation of this occurrence of the problem. */
  readonly detail?: string | undefined;
  /** The issues of an invalid request, at most 100. */
  readonly errors?:
    | readonly {
      readonly in: string;
      readonly pointer: string;
      readonly detail: string;
    }[]
    | undefined;
  /** The total number of issues, if `errors` does not list all of them. */
  readonly issueCount?: number | undefined;
}

const DEFINITION: JsonSchema = {
  type: "object",
  description: "A problem document (RFC 9457)",
  properties: {
    type: {
      type: "string",
      format: "uri-reference",
      examples: ["about:blank"],
    },
    title: { type: "string" },
    status: { type: "integer", minimum: 400, maximum: 599 },
    detail: { type: "string" },
    errors: {
      type: "array",
      description: "The issues of an invalid request, at most 100",
      items: {
        type: "object",
        properties: {
          in: { enum: [...SCHEMA_PARTS] },
          pointer: {
            type: "string",
            description: "A JSON pointer, as a URI fragment",
          },
          detail: { type: "string" },
        },
        required: ["in", "pointer", "detail"],
      },
    },
    issueCount: {
      type: "integer",
      description:
        "The total number of issues, if errors does not list all of them",
    },
  },
  required: ["type", "title", "status"],
};

/** Returns why a value is not a problem document; `undefined` if the value is valid. */
function whyNot(value: unknown): string | undefined {
  if (!isObject(value)) return "must be an object";
  const { type, title, status } = value;
  if (typeof type !== "string") return '"type" must be a string';
  if (typeof title !== "string") return '"title" must be a string';
  if (!Number.isInteger(status)) return '"status" must be a whole number';
  return undefined;
}

/** Returns the JSON Schema of {@linkcode Problem}. */
export function problemSchema(): JsonSchema {
  return { $ref: "#/$defs/Problem", $defs: { Problem: DEFINITION } };
}

/**
 * The schema of problem documents. Declare this schema for statuses that a handler
 * throws as an `HttpError`. If a route has an error format, the schema represents an
 * error in that format.
 *
 * @example Usage
 * ```ts
 * import { Problem } from "@bough/framework";
 * import { z } from "zod";
 *
 * export const schema = {
 *   get: { response: { 200: z.object({ title: z.string() }), 404: Problem } },
 * };
 * ```
 */
export const Problem:
  & StandardSchemaV1<ProblemDocument>
  & {
    /** The media type of problem documents; Bough reads this member of any schema. */
    readonly mediaType: "application/problem+json";
    readonly "~standard": {
      readonly jsonSchema: {
        readonly input: () => JsonSchema;
        readonly output: () => JsonSchema;
      };
    };
  } = {
    "~standard": {
      version: 1,
      vendor: "bough",
      validate: (value) => {
        const message = whyNot(value);
        return message === undefined
          ? { value: value as ProblemDocument }
          : { issues: [{ message }] };
      },
      jsonSchema: { input: problemSchema, output: problemSchema },
    },
    mediaType: "application/problem+json",
  };
