import { HttpError, InvalidRequest } from "../errors.ts";
import { ownError } from "../own_errors.ts";
import { type BodyContent, recordOf } from "./record.ts";

/** The bytes of a body. */
export type Bytes = Uint8Array<ArrayBuffer>;

/** The messages for the client if its body does not match the content type. */
export const MALFORMED = {
  json: "The body is not valid JSON",
  formData: "The body is not a valid form",
  text: "The body is not valid UTF-8",
} as const;

const ENCODER = new TextEncoder();
const LOOSE = new TextDecoder();
const STRICT = new TextDecoder("utf-8", { fatal: true });

/** The bytes of a body, which all readers may share: do not modify them. */
export function toBytes(content: BodyContent): Bytes {
  return typeof content === "string" ? ENCODER.encode(content) : content;
}

/** The text of a body, with U+FFFD for bytes that are not UTF-8, as on the web. */
export function toText(content: BodyContent): string {
  return typeof content === "string" ? content : LOOSE.decode(content);
}

/**
 * The text of a body in UTF-8.
 *
 * @throws {SyntaxError} If the bytes are not UTF-8, with the message for the client.
 */
export function decode(content: BodyContent): string {
  if (typeof content === "string") return content;
  try {
    return STRICT.decode(content);
  } catch (cause) {
    throw new SyntaxError(MALFORMED.text, { cause });
  }
}

/**
 * The value of a JSON body; a byte order mark is ignored (RFC 8259, section 8.1).
 *
 * @throws {SyntaxError} If the body is not JSON in UTF-8, with the message for the client.
 */
export function parseJson(content: BodyContent): unknown {
  const text = decode(content);
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new SyntaxError(MALFORMED.json, { cause });
  }
}

const BROKEN_OFF = "The body could not be read to its end";

/**
 * The errors of body readers that a handler did not cause, each with the message for the
 * client. If the handler does not catch such an error, Bough responds to it.
 */
const details = new WeakMap<object, string>();

/** Records an error of a body reader, unless the handler caused it. */
export function noteReadFailure(error: unknown): void {
  if (!(error instanceof Error) || error instanceof HttpError) return;
  if (error instanceof SyntaxError) {
    details.set(error, error.message);
  } else if (!(error instanceof TypeError)) {
    // A TypeError means that the handler locked or read the stream before.
    details.set(error, BROKEN_OFF);
  }
}

/** The error of `formData()` for a body that is not a form. */
export function malformedForm(cause: unknown): TypeError {
  const { message } = cause as SyntaxError;
  const error = new TypeError(message, { cause });
  details.set(error, message);
  return error;
}

/**
 * The error to send for an uncaught error of a body reader; `undefined` for every other
 * error.
 */
export function readFault(
  error: unknown,
  request: Request,
): HttpError | undefined {
  const detail = details.get(error as object);
  if (detail === BROKEN_OFF) return brokenOff(request, error);
  return detail === undefined
    ? undefined
    : new InvalidRequest(detail, { cause: error });
}

/** The error for a body that the client, or a server that stops, cuts off. */
export function brokenOff(request: Request, cause?: unknown): HttpError {
  return recordOf(request)?.connections?.stopping
    ? ownError("ShuttingDown", undefined, { cause })
    : new InvalidRequest(BROKEN_OFF, { cause });
}
