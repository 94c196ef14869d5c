import { STATUS_TEXT, type StatusCode } from "@std/http/status";
import { formatValue } from "./common/values.ts";

/** Options of an {@linkcode HttpError}; other members extend the problem. */
export interface HttpErrorOptions {
  /** Headers of the response, such as `{ "retry-after": "120" }`. */
  headers?: HeadersInit;
  /** The error that caused this one: for your logs, never sent to the client. */
  cause?: unknown;
  /** Not an option: the name is `headers`. */
  header?: never;
  /** Extension members of the problem (RFC 9457, section 3.2), sent as JSON. */
  [member: string]: unknown;
}

function isErrorStatus(value: unknown): boolean {
  return Number.isInteger(value) && value as number >= 400 &&
    value as number <= 599;
}

function statusFault(status: unknown): string {
  return `status must be 400 to 599, got ${formatValue(status)}`;
}

/**
 * An error with a status for the client. A handler throws it, and Bough responds
 * with a problem document (RFC 9457) of that status.
 *
 * @example Usage
 * ```ts
 * import { type FrameworkRequest, HttpError } from "@bough/framework";
 *
 * export function GET(request: FrameworkRequest): Response {
 *   const { id } = request.params;
 *   if (id !== "1") throw new HttpError(404, `There is no book "${id}"`, { id });
 *   return Response.json({ id });
 * }
 * ```
 */
export class HttpError extends Error {
  /** The name of the error class. */
  override name = "HttpError";
  /** The status of the response, 400 to 599. */
  readonly status: number;
  /** The explanation of this occurrence for the client. */
  readonly detail: string | undefined;
  /** Headers of the response. */
  readonly headers: Headers;
  /** Extension members of the problem. */
  readonly extensions: Readonly<Record<string, unknown>>;

  /**
   * Creates the error.
   *
   * @param status The status of the response, 400 to 599.
   * @param detail An explanation for the client; none by default.
   * @param options Headers, a cause, and extension members of the problem.
   * @throws {RangeError} If `status` is not an error status.
   * @throws {TypeError} If an option is named `header`: as an extension member, it
   * would be sent to the client.
   */
  constructor(status: number, detail?: string, options: HttpErrorOptions = {}) {
    if (!isErrorStatus(status)) {
      throw new RangeError(
        `Cannot create an HttpError: ${statusFault(status)}`,
      );
    }
    if (Object.hasOwn(options, "header")) {
      throw new TypeError(
        'Cannot create an HttpError: "header" is not an option; name it "headers"',
      );
    }
    const { headers, cause, ...extensions } = options;
    const behind = cause === undefined ? {} : { cause };
    super(detail ?? `HTTP status ${status}`, behind);
    this.status = status;
    this.detail = detail;
    this.headers = new Headers(headers);
    this.extensions = extensions;
  }
}

/** The parts of a problem document except its status (RFC 9457, section 3). */
export interface ProblemOptions {
  /** The explanation of this occurrence for the client. */
  readonly detail?: string | undefined;
  /** Headers of the response. */
  readonly headers?: HeadersInit | undefined;
  /** Extension members. */
  readonly extensions?: Readonly<Record<string, unknown>> | undefined;
}

/** Creates an error response: a problem document in JSON (RFC 9457). */
export function problem(
  status: number,
  { detail, headers, extensions }: ProblemOptions = {},
): Response {
  const document: Record<string, unknown> = {
    type: "about:blank",
    title: STATUS_TEXT[status as StatusCode] ?? "Error",
    status,
    detail,
    ...extensions,
  };
  // Extensions may replace only type and title.
  Object.assign(document, { status, detail });
  // `JSON.stringify()` would call it; JSON has no functions anyway.
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
 * @throws {TypeError} If the status of the error is invalid, so that the response would
 * report success: `Object.create(HttpError.prototype)`, for example, lacks a status.
 */
export function problemOf(error: HttpError): Response {
  const { status } = error;
  if (isErrorStatus(status)) return problem(status, error);
  throw new TypeError(
    `Cannot respond with an HttpError: ${statusFault(status)}`,
  );
}
