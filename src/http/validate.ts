import { HttpError } from "../errors.ts";
import type { BodyReaders } from "./body.ts";
import { parseBody } from "./parse_body.ts";
import type { FrameworkRequest } from "./request.ts";
import type {
  MethodSchema,
  SchemaPart,
  StandardSchemaIssue,
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
  const { params, body } = schema;

  if (params !== undefined) {
    // Awaited only if it is a promise: most schemas answer at once.
    const checking = params["~standard"].validate(request.params);
    const result = checking instanceof Promise ? await checking : checking;
    if (result.issues !== undefined) gather("params", result.issues, errors);
    else validated.params = result.value;
  }
  if (body !== undefined) {
    const parsed = await parseBody(request, readers);
    if ("malformed" in parsed) {
      gather("body", [{ message: parsed.malformed }], errors);
    } else {
      const checking = body["~standard"].validate(parsed.value);
      const result = checking instanceof Promise ? await checking : checking;
      if (result.issues !== undefined) gather("body", result.issues, errors);
      else validated.body = result.value;
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

function gather(
  part: SchemaPart,
  issues: readonly StandardSchemaIssue[],
  errors: ValidationIssue[],
): void {
  for (const issue of issues) {
    errors.push({ in: part, pointer: pointer(issue), detail: issue.message });
  }
}

/** The path of an issue: `["items", 0, "a/b"]` is `#/items/0/a~1b`. */
function pointer({ path = [] }: StandardSchemaIssue): string {
  return "#" + path.map((step) => {
    const key = String(typeof step === "object" ? step.key : step);
    const escaped = key.replaceAll("~", "~0").replaceAll("/", "~1");
    return "/" + encodeURIComponent(escaped);
  }).join("");
}
