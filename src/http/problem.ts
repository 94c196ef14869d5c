import { STATUS_TEXT, type StatusCode } from "@std/http/status";
import { type HttpError, isErrorStatus } from "./http_error.ts";
import { describeType } from "./response.ts";

/** The parts of a problem document beside its status (RFC 9457, section 3). */
export interface ProblemOptions {
  /** What to tell the client about this occurrence. */
  readonly detail?: string | undefined;
  /** Headers of the response. */
  readonly headers?: HeadersInit | undefined;
  /** Extension members. */
  readonly extensions?: Readonly<Record<string, unknown>> | undefined;
}

/** Makes an error response: a problem document in JSON (RFC 9457). */
export function problem(
  status: number,
  { detail, headers, extensions }: ProblemOptions = {},
): Response {
  const members = {
    type: "about:blank",
    title: STATUS_TEXT[status as StatusCode] ?? "Error",
    status,
    detail,
  };
  // Extensions may replace type and title, never the status or the detail.
  const document: Record<string, unknown> = {
    ...members,
    ...extensions,
    status,
    detail,
  };
  // It would write another document; JSON has no functions anyway.
  if (typeof document.toJSON === "function") delete document.toJSON;
  const response = new Response(JSON.stringify(document), {
    status,
    headers: headers ?? {},
  });
  response.headers.set("content-type", "application/problem+json");
  return response;
}

/**
 * The problem document of an {@linkcode HttpError}.
 *
 * @throws {TypeError} If the error has no error status, so that the response would
 * tell of success: `Object.create(HttpError.prototype)`, say, has none at all.
 */
export function problemOf(error: HttpError): Response {
  const { status } = error;
  if (isErrorStatus(status)) return problem(status, error);
  throw new TypeError(
    `An HttpError must have a status of 400 to 599, but this one has ${
      typeof status === "number" ? status : describeType(status)
    }`,
  );
}
