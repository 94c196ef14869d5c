import { STATUS_TEXT, type StatusCode } from "@std/http/status";
import type { HttpError } from "./http_error.ts";

/** What a problem document says beside its status (RFC 9457, section 3). */
export interface ProblemOptions {
  /** What to tell the client about this occurrence. */
  readonly detail?: string | undefined;
  /** Headers of the answer. */
  readonly headers?: HeadersInit | undefined;
  /** Extension members. */
  readonly extensions?: Readonly<Record<string, unknown>> | undefined;
}

/** Makes an error answer: a problem document in JSON (RFC 9457). */
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
  // An extension may name another type or title, never another status.
  const document = Object.assign(members, extensions, { status, detail });
  const answer = new Response(JSON.stringify(document), {
    status,
    headers: headers ?? {},
  });
  answer.headers.set("content-type", "application/problem+json");
  return answer;
}

/** The answer to an {@linkcode HttpError}. */
export function problemOf(error: HttpError): Response {
  return problem(error.status, error);
}
