import { STATUS_TEXT, type StatusCode } from "@std/http/status";
import {
  isJsonOrText,
  isRange,
  MEDIA_TYPE,
  mediaType,
} from "./common/media_type.ts";
import {
  checkOptions,
  FUNCTION,
  type Members,
  optionError,
  SCHEMA,
} from "./common/forms.ts";
import { formatValue, isObject, quoted } from "./common/values.ts";
import type { MiddlewareRequest } from "./types/request.ts";
import type { SchemaInput } from "./types/responses.ts";
import type { SchemaPart, StandardSchemaV1 } from "./types/schema.ts";

/** Options of an {@linkcode HttpError}; other members extend the problem. */
export interface HttpErrorOptions {
  /** Headers of the response, such as `{ "retry-after": "120" }`. */
  headers?: HeadersInit;
  /** The underlying error, for your logs; never sent to the client. */
  cause?: unknown;
  /** Not an option; the option is named `headers`. */
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
 * An error with a status for the client. If a handler throws it, Bough responds with a
 * problem document (RFC 9457) and this status.
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
   * @throws {TypeError} If an option is named `header`, since Bough would send it to
   * the client as an extension member.
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

/** One issue of an invalid request. */
export interface ValidationIssue {
  /** The part of the request. */
  readonly in: SchemaPart;
  /** The location in that part: a JSON Pointer as a URI fragment (RFC 6901, section 6). */
  readonly pointer: string;
  /** The message of the schema. */
  readonly detail: string;
}

/**
 * The error of an invalid or malformed request. Its status is 400, unless the error
 * format sets another status. A problem document lists the issues as `errors`.
 */
export class InvalidRequest extends HttpError {
  /** @param issues The issues of the schemas; absent if the request is malformed. */
  constructor(
    detail: string,
    options: HttpErrorOptions = {},
    readonly issues?: readonly ValidationIssue[],
  ) {
    super(400, detail, issues ? { errors: issues, ...options } : options);
  }
}

/** An error that Bough responds with: an {@linkcode HttpError}, or its parts. */
export interface ErrorParts {
  readonly status: number;
  /** The explanation of this occurrence for the client. */
  readonly detail?: string | undefined;
  /** Headers of the response. */
  readonly headers?: HeadersInit | undefined;
  /** Extension members. */
  readonly extensions?: Readonly<Record<string, unknown>> | undefined;
}

/** The title of an error status: `Not Found`. */
export function titleOf(status: number): string {
  return STATUS_TEXT[status as StatusCode] ?? "Error";
}

/**
 * Creates an error response: a problem document in JSON (RFC 9457). Omits the extension
 * members if JSON cannot represent them, since the status matters more to the client.
 *
 * @param report Receives the error of omitted members.
 */
export function problem(
  error: ErrorParts,
  report?: (error: TypeError) => void,
): Response {
  const { status, detail, headers, extensions = {} } = error;
  const document: Record<string, unknown> = {
    type: "about:blank",
    title: titleOf(status),
    status,
    detail,
    ...extensions,
  };
  // Extensions may replace only the members `type` and `title`.
  Object.assign(document, { status, detail });
  // Remove a function `toJSON`, since `JSON.stringify()` would call it.
  if (typeof document.toJSON === "function") delete document.toJSON;
  let body: string;
  try {
    body = JSON.stringify(document);
  } catch (cause) {
    const names = quoted(Object.keys(extensions));
    report?.(
      new TypeError(
        `Cannot send the members ${names} of an HttpError with status ${status}: JSON cannot represent them`,
        { cause },
      ),
    );
    return problem({ status, detail, headers });
  }
  const response = new Response(body, { status, headers: headers ?? {} });
  response.headers.set("content-type", "application/problem+json");
  return response;
}

/**
 * Checks that an error can be sent.
 *
 * @throws {TypeError} If the status of the error is invalid, since the response could
 * then report success. For example, `Object.create(HttpError.prototype)` lacks a
 * status.
 */
export function assertErrorStatus({ status }: HttpError): void {
  if (isErrorStatus(status)) return;
  throw new TypeError(
    `Cannot respond with an HttpError: ${statusFault(status)}`,
  );
}

/** An error to format, as {@linkcode ErrorFormat.format} receives it. */
export interface ErrorDetails {
  /** The status of the response. */
  readonly status: number;
  /** The name of the status, such as `"Not Found"`. */
  readonly title: string;
  /** The explanation for the client; `undefined` for an unexpected error. */
  readonly detail: string | undefined;
  /** The issues of a request that violates its schemas; empty for any other error. */
  readonly issues: readonly ValidationIssue[];
  /** The extension members of an {@linkcode HttpError}. */
  readonly extensions: Readonly<Record<string, unknown>>;
}

/**
 * The format of error responses, for {@linkcode errorFormat}.
 *
 * @typeParam Schema The schema of the body.
 */
export interface ErrorFormat<
  Schema extends StandardSchemaV1 = StandardSchemaV1,
> {
  /** The content type: JSON, or text such as `text/plain; charset=utf-8`. */
  readonly contentType: string;
  /** Describes the bodies for the OpenAPI document, the client and the tests. */
  readonly schema: Schema;
  /**
   * The status for an invalid or malformed request, from 400 to 499.
   *
   * @default {400}
   */
  readonly invalid?: number;
  // The condition lets TypeScript infer `Schema` first. Otherwise, TypeScript would
  // widen the literal `"error"` in
  // `format: ({ title }) => ({ status: "error", message: title })`.
  /**
   * Returns the body of a response: a value for JSON, or a string for text. The
   * function must be synchronous. If `format` throws, Bough logs the error and responds
   * with a problem document.
   */
  readonly format: Schema extends unknown ? (
      error: ErrorDetails,
      request: Request & Partial<Pick<MiddlewareRequest, "pattern">>,
    ) => SchemaInput<Schema>
    : never;
}

const FORMAT: Members<keyof ErrorFormat> = {
  contentType: {
    accepts: (value) =>
      typeof value === "string" && MEDIA_TYPE.test(value) &&
      !isRange(value) && isJsonOrText(mediaType(value)),
    expected: 'must be a JSON or text type, such as "application/json"',
    isRequired: true,
  },
  schema: { ...SCHEMA, isRequired: true },
  invalid: {
    accepts: (value) => isErrorStatus(value) && (value as number) < 500,
    expected: "must be a status from 400 to 499",
  },
  format: { ...FUNCTION, isRequired: true },
};

/**
 * Declares the format of error responses, both for Bough's own errors and for each
 * `HttpError`. Pass the format in the option `errors`, or export it as `errors` from
 * the `middleware.ts` of a folder. The routes of this folder then respond in the
 * format.
 *
 * The OpenAPI document, `bough check`, `bough test` and the client use the format, too.
 *
 * @param format The content type, the schema, and the function that makes a body.
 * @returns The checked format.
 * @throws {TypeError} If a member is missing, unknown or invalid.
 *
 * @example Usage
 * ```ts
 * import { errorFormat, Framework } from "@bough/framework";
 * import { z } from "zod";
 *
 * export const errors = errorFormat({
 *   contentType: "application/json",
 *   schema: z.object({ errors: z.object({ body: z.array(z.string()) }) }),
 *   invalid: 422,
 *   format: ({ title, detail, issues }) => ({
 *     errors: {
 *       body: issues.length > 0
 *         ? issues.map(({ pointer, detail }) => `${pointer} ${detail}`)
 *         : [detail ?? title],
 *     },
 *   }),
 * });
 *
 * new Framework({ apiDir: "examples/minimal/api", errors });
 * ```
 */
export function errorFormat<Schema extends StandardSchemaV1>(
  format: ErrorFormat<Schema>,
): ErrorFormat<Schema> {
  checkOptions("create an error format", format, FORMAT);
  return Object.freeze({ ...format });
}

/** Whether a value is a result of {@linkcode errorFormat}. */
export function isErrorFormat(value: unknown): value is ErrorFormat {
  return isObject(value) && Object.isFrozen(value) && "format" in value &&
    optionError("", value, FORMAT) === undefined;
}
