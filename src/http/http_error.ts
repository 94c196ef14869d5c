/** Options of an {@linkcode HttpError}; other members extend the problem. */
export interface HttpErrorOptions {
  /** Headers of the response, such as `{ "retry-after": "120" }`. */
  headers?: HeadersInit;
  /** The error behind this one: for your logs, never sent to the client. */
  cause?: unknown;
  /** Not an option: the name is `headers`. */
  header?: never;
  /** Extension members of the problem (RFC 9457, section 3.2), sent as JSON. */
  [member: string]: unknown;
}

/** Whether a value is the status of an error response. */
export function isErrorStatus(value: unknown): boolean {
  return Number.isInteger(value) && value as number >= 400 &&
    value as number <= 599;
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
  /** What the client reads about this occurrence. */
  readonly detail: string | undefined;
  /** Headers of the response. */
  readonly headers: Headers;
  /** Extension members of the problem. */
  readonly extensions: Readonly<Record<string, unknown>>;

  /**
   * Creates the error.
   *
   * @param status The status of the response, 400 to 599.
   * @param detail What to tell the client; nothing by default.
   * @param options Headers, a cause, and extension members of the problem.
   * @throws {RangeError} If `status` is not an error status.
   * @throws {TypeError} If an option is named `header`: as an extension member, the
   * client would receive it.
   */
  constructor(status: number, detail?: string, options: HttpErrorOptions = {}) {
    if (!isErrorStatus(status)) {
      throw new RangeError(
        `Cannot create an HttpError: status must be 400 to 599, got ${status}`,
      );
    }
    if (Object.hasOwn(options, "header")) {
      throw new TypeError(
        'Cannot create an HttpError: "header" is no option; name it "headers"',
      );
    }
    const { headers, cause, ...extensions } = options;
    super(
      detail ?? `HTTP status ${status}`,
      cause === undefined ? {} : { cause },
    );
    this.status = status;
    this.detail = detail;
    this.headers = new Headers(headers);
    this.extensions = extensions;
  }
}
