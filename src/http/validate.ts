import { HttpError } from "../errors.ts";
import { type BodyReaders, parseBody } from "./body.ts";
import type { FrameworkRequest } from "./request.ts";
import type {
  MethodSchema,
  SchemaPart,
  StandardSchemaIssue,
  StandardSchemaV1,
} from "./schema.ts";

/** One entry of `errors` in the problem that answers an invalid request. */
export interface ValidationIssue {
  /** The part of the request that is concerned. */
  readonly in: SchemaPart;
  /** Where in that part: a JSON pointer as a URI fragment (RFC 6901, section 6). */
  readonly pointer: string;
  /** What is wrong. */
  readonly detail: string;
}

/**
 * Checks all declared parts of a request and puts the outputs of their schemas
 * in `request.validated`.
 *
 * @throws {HttpError} 400 with every issue of every part, 413 or 415.
 */
export async function validate(
  request: FrameworkRequest,
  schema: MethodSchema,
  readers: BodyReaders,
): Promise<void> {
  const validated: Partial<Record<SchemaPart, unknown>> = {};
  const errors: ValidationIssue[] = [];

  async function check(
    part: SchemaPart,
    schema: StandardSchemaV1,
    value: unknown,
  ): Promise<void> {
    const result = await schema["~standard"].validate(value);
    if (result.issues === undefined) {
      validated[part] = result.value;
    } else {
      errors.push(...result.issues.map((issue) => describe(part, issue)));
    }
  }

  if (schema.params !== undefined) {
    await check("params", schema.params, request.params);
  }
  if (schema.body !== undefined) {
    const body = await parseBody(request, readers);
    if ("malformed" in body) {
      errors.push({ in: "body", pointer: "#", detail: body.malformed });
    } else {
      await check("body", schema.body, body.value);
    }
  }

  if (errors.length > 0) {
    throw new HttpError(
      400,
      "The request does not fit the schema of its route",
      {
        errors,
      },
    );
  }
  request.validated = validated;
}

function describe(
  part: SchemaPart,
  issue: StandardSchemaIssue,
): ValidationIssue {
  return { in: part, pointer: pointer(issue), detail: issue.message };
}

/** The path of an issue: `["items", 0, "a/b"]` is `#/items/0/a~1b`. */
function pointer({ path = [] }: StandardSchemaIssue): string {
  return "#" + path.map((step) => {
    const key = String(typeof step === "object" ? step.key : step);
    const escaped = key.replaceAll("~", "~0").replaceAll("/", "~1");
    return "/" + encodeURIComponent(escaped);
  }).join("");
}
