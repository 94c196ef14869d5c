import { isObject } from "../../common/values.ts";
import { SCHEMA_PARTS } from "../../schema/validate.ts";
import type { StandardSchemaV1 } from "../../types/schema.ts";
import type { JsonSchema } from "../types.ts";

/** A problem document (RFC 9457), the form of every error response of Bough. */
export interface ProblemDocument {
  /** A URI that identifies the type of the problem. */
  readonly type: string;
  /** A short summary of the type. */
  readonly title: string;
  /** The status of the response. */
  readonly status: number;
  /** What is wrong in this case. */
  readonly detail?: string | undefined;
  /** What is wrong with a request that does not fit its schema: up to 100 issues. */
  readonly errors?:
    | readonly {
      readonly in: string;
      readonly pointer: string;
      readonly detail: string;
    }[]
    | undefined;
  /** How many issues there are, where `errors` does not list all of them. */
  readonly issueCount?: number | undefined;
}

const JSON_FORM: JsonSchema = {
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
      description:
        "What is wrong with a request that does not fit its schema: up to 100 issues",
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
        "How many issues there are, where errors does not tell all of them",
    },
  },
  required: ["type", "title", "status"],
};

/** Why a value is not a problem document; `undefined` if it is one. */
function whyNot(value: unknown): string | undefined {
  if (!isObject(value)) return "must be an object";
  const { type, title, status } = value;
  if (typeof type !== "string") return '"type" must be a string';
  if (typeof title !== "string") return '"title" must be a string';
  if (!Number.isInteger(status)) return '"status" must be a whole number';
  return undefined;
}

/** The JSON form of {@linkcode Problem}. */
export function problemSchema(): JsonSchema {
  return { $ref: "#/$defs/Problem", $defs: { Problem: JSON_FORM } };
}

/**
 * The schema of problem documents. Declare it for the errors that a handler
 * throws as an `HttpError`.
 *
 * @example Usage
 * ```ts
 * import { Problem } from "@bough/framework/openapi";
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
    /** What problem documents are sent as; Bough finds it in any schema. */
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
