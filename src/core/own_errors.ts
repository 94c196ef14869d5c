import { type ErrorParts, HttpError } from "./errors.ts";
import { METHODS } from "./methods.ts";

const CLOSE = { connection: "close" };

/**
 * The errors with which Bough itself responds, by the names of their components in the
 * OpenAPI document. The core and `uploads/` send them, the document describes them, and
 * `bough check` tries each error format with their statuses. Some senders replace the
 * detail. An invalid request is an `InvalidRequest` instead.
 */
export const OWN_ERRORS = {
  /** Of a form or a text. */
  UntrustedOrigin: {
    status: 403,
    detail: "A page of an untrusted origin sent the body",
  },
  /** Of the handshake of a socket. */
  UntrustedPage: {
    status: 403,
    detail: "A page of an untrusted origin opened the socket",
  },
  NotFound: { status: 404, detail: "No route matches this path" },
  MethodNotAllowed: { status: 405 },
  /** Of a body. The client may try again on another connection (RFC 9110, 15.5.9). */
  RequestTimeout: {
    status: 408,
    detail: "The body took too long to arrive",
    headers: CLOSE,
  },
  /** Of a body. */
  ContentTooLarge: { status: 413 },
  /** Of a body. */
  UnsupportedMediaType: { status: 415 },
  /** Of the handshake of a socket (RFC 9110, 15.5.22). */
  UpgradeRequired: {
    status: 426,
    detail: "Open a WebSocket here",
    headers: { upgrade: "websocket", connection: "upgrade" },
  },
  ServerError: { status: 500 },
  /** Of an unknown method (RFC 9110, section 9.1). */
  NotImplemented: {
    status: 501,
    detail: `This server implements ${METHODS.join(", ")}`,
  },
  ShuttingDown: {
    status: 503,
    detail: "The server is shutting down",
    headers: CLOSE,
  },
  /** Of the handshake of a socket. A second later, another server may accept it. */
  Stopping: {
    status: 503,
    detail: "The server is stopping; open the socket again",
    headers: { "retry-after": "1", ...CLOSE },
  },
} satisfies Record<string, ErrorParts>;

/** The name of one of Bough's own errors. */
export type OwnErrorName = keyof typeof OWN_ERRORS;

/** Creates an own error to throw. Its headers are added to those of the table. */
export function ownError(
  name: OwnErrorName,
  detail?: string,
  { headers, cause }: {
    readonly headers?: Readonly<Record<string, string>>;
    readonly cause?: unknown;
  } = {},
): HttpError {
  const own: ErrorParts = OWN_ERRORS[name];
  return new HttpError(own.status, detail ?? own.detail, {
    headers: { ...own.headers as Record<string, string>, ...headers },
    cause,
  });
}

/** The error for a body, or a part of it, that exceeds its size. */
export function tooLarge(subject: string, limit: number): HttpError {
  return ownError(
    "ContentTooLarge",
    `${subject} is larger than ${limit} bytes`,
  );
}

/** The error for a body, or a part of it, of a type that the route does not read. */
export function wrongType(
  subject: string,
  type: string,
  accept: string,
): HttpError {
  const detail = `${subject} is "${type}"; this route reads ${accept}`;
  return ownError("UnsupportedMediaType", detail, { headers: { accept } });
}
