import { log } from "../common/log.ts";
import { isJson, mediaType } from "../common/media_type.ts";
import { isThenable, kindOf } from "../common/values.ts";
import {
  type ErrorDetails,
  type ErrorFormat,
  type ErrorParts,
  InvalidRequest,
  problem,
  titleOf,
  type ValidationIssue,
} from "../errors.ts";
import { OWN_ERRORS } from "../own_errors.ts";
import { requestPlace } from "../request/record.ts";
import type { Application, ErrorResponder } from "../request/application.ts";
import { jsonMismatch } from "../schema/check_response.ts";

/**
 * Creates the function that formats errors as responses. If the format fails, the
 * response is a problem document, and the failure is logged.
 *
 * @param validateResponses How to report a body that violates the schema of the format:
 * as an error, as a warning or not at all.
 */
export function errorResponder(
  format: ErrorFormat,
  { file, validateResponses }: {
    readonly file: string;
    readonly validateResponses: Application["validateResponses"];
  },
): ErrorResponder {
  function respond(
    error: ErrorParts,
    request: Request,
  ): Response | Promise<Response> {
    const details = detailsOf(error, format);
    const { status, issues } = details;
    if (issues.length > 0) (request as RefusedRequest)[ISSUES] = issues;
    const respondWithProblem = (failure: unknown) => {
      const place = requestPlace(request);
      const message = "the error format failed";
      log({ level: "error", place, message, error: failure });
      return problem({ ...error, status });
    };
    try {
      const body = formatError(details, format, request);
      const response = new Response(body, {
        status,
        headers: error.headers ?? {},
      });
      response.headers.set("content-type", format.contentType);
      return validateResponses === false
        ? response
        // The schema of the format may throw, too.
        : check(response, body, request).catch(respondWithProblem);
    } catch (failure) {
      return respondWithProblem(failure);
    }
  }

  async function check(
    response: Response,
    body: string,
    request: Request,
  ): Promise<Response> {
    const faults = await formatFaults(format, body);
    if (faults === "") return response;
    const message =
      `the error format made a body for status ${response.status} that does not fit its schema: ${faults}`;
    log({ level: "warning", place: requestPlace(request), message });
    return validateResponses === "warn"
      ? response
      : problem(OWN_ERRORS.ServerError);
  }

  return { format, file, respond };
}

/**
 * The slot of a request for its issues, through which contract tests read them: the body
 * of the response may omit the issues. All copies of this package share the slot, since
 * the tested application may use another copy.
 */
const ISSUES = Symbol.for("@bough/framework issues");

type RefusedRequest = Request & { [ISSUES]?: readonly ValidationIssue[] };

/** The issues of an invalid request, which the body of the response may omit. */
export function refusedIssues(
  request: Request,
): readonly ValidationIssue[] | undefined {
  return (request as RefusedRequest)[ISSUES];
}

/**
 * Describes how a body violates the schema of its format; `""` if the body is valid.
 */
async function formatFaults(
  format: ErrorFormat,
  body: string,
): Promise<string> {
  return (await jsonMismatch(format.schema, valueOf(body, format))).text;
}

/** The value of a body that a format made. */
function valueOf(body: string, { contentType }: ErrorFormat): unknown {
  return isJsonType(contentType) ? JSON.parse(body) : body;
}

/** The argument of a format for an error. */
function detailsOf(
  error: ErrorParts,
  { invalid = 400 }: ErrorFormat,
): ErrorDetails {
  const isInvalid = error instanceof InvalidRequest;
  const { detail, extensions = {} } = error;
  const { errors: _, ...others } = extensions;
  const status = isInvalid ? invalid : error.status;
  return {
    status,
    title: titleOf(status),
    detail,
    issues: isInvalid ? error.issues ?? [] : [],
    extensions: isInvalid ? others : extensions,
  };
}

/**
 * Formats an error as a body.
 *
 * @throws {TypeError} If the content type does not allow the body.
 * @throws Any value that the format throws.
 */
function formatError(
  details: ErrorDetails,
  format: ErrorFormat,
  request: Request,
): string {
  const { contentType } = format;
  const value: unknown = format.format(details, request);
  if (isThenable(value)) {
    // Ignore the rejection, since returning a promise is already the error.
    Promise.resolve(value).catch(() => {});
    throw new TypeError("format() returned a promise; it must be synchronous");
  }
  const body = isJsonType(contentType) ? JSON.stringify(value) : value;
  if (typeof body === "string") return body;
  throw new TypeError(
    `format() returned ${
      kindOf(value)
    }, which "${contentType}" cannot represent`,
  );
}

function isJsonType(contentType: string): boolean {
  return isJson(mediaType(contentType));
}
