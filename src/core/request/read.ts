import { withDeadline } from "../common/deadline.ts";
import { mediaType, MULTIPART, parametersOf } from "../common/media_type.ts";
import { HttpError, InvalidRequest } from "../errors.ts";
import { ownError, tooLarge } from "../own_errors.ts";
import { type BodyReading, type BodyType, recordOf } from "./record.ts";
import type { BodyRules } from "./application.ts";

/** The bytes of a body. */
export type Bytes = Uint8Array<ArrayBuffer>;

/** The rules for reading the body of one request. */
type Reading = Pick<BodyReading, "rules" | "framed">;

/**
 * Takes the text of a body synchronously, within the rules, if the whole body has
 * arrived.
 *
 * @returns The text; `undefined` if `readBody` must await the body.
 * @throws {HttpError} 413 or 403.
 */
export function takeBody(
  request: Request,
  { rules, framed }: Reading,
): string | undefined {
  const length = framed ? declaredLength(request) : -1;
  if (length < 0) return undefined;
  const error = refusal(request, length, rules);
  if (error !== undefined) throw error;
  return takeArrivedText(request);
}

/** Reads the bytes of a body, within the rules. */
export function readBody(
  request: Request,
  { rules, framed }: Reading,
): Promise<Bytes> {
  const length = framed ? declaredLength(request) : -1;
  if (length >= 0) {
    const error = refusal(request, length, rules);
    if (error !== undefined) return Promise.reject(error);
    const reading = Request.prototype.bytes.call(request) as Promise<Bytes>;
    return withDeadline(reading, rules.timeout, tooSlow);
  }
  if (request.bodyUsed) {
    return Promise.reject(
      new TypeError("The stream of the body was already read"),
    );
  }
  return readStream(request.body, () => rules.refuse(request), rules);
}

/**
 * The error for a body, based on its declared length; `undefined` if the body may be
 * read.
 */
function refusal(
  request: Request,
  length: number,
  { limit, refuse }: BodyRules,
): HttpError | undefined {
  if (length > limit) return tooLarge("The body", limit);
  // An empty body is harmless, and browsers send it to other origins, too.
  return length > 0 ? refuse(request) : undefined;
}

const UTF8 = new TextDecoder("utf-8", { fatal: true });

/** @throws {SyntaxError} If the bytes are not UTF-8, with the message for the client. */
export function decodeBytes(bytes: Bytes): string {
  try {
    return UTF8.decode(bytes);
  } catch (cause) {
    throw new SyntaxError(MALFORMED.text, { cause });
  }
}

/**
 * Rejects a text in which Deno has replaced bytes that are not UTF-8. Their number is
 * known, but the bytes are not: reading bytes first costs 14 % of the CPU time of a JSON
 * echo. U+FFFD has three bytes, as many as a character of four bytes without its last
 * byte, which this check therefore accepts.
 *
 * @throws {SyntaxError} If the text has another length than the body.
 */
export function assertDecoded(text: string, request: Request): void {
  if (!text.includes("\ufffd")) return;
  const { length } = new TextEncoder().encode(text);
  if (length !== declaredLength(request)) throw new SyntaxError(MALFORMED.text);
}

/** @throws {SyntaxError} If the text is not JSON, with the message for the client. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new SyntaxError(MALFORMED.json, { cause });
  }
}

/**
 * Parses JSON text, and ignores a byte order mark at its beginning (RFC 8259, section
 * 8.1).
 */
export function parseText(text: string): unknown {
  return parseJson(text.charCodeAt(0) === BOM ? text.slice(1) : text);
}

const BOM = 0xfeff;

/** Reads a stream, and stops as soon as the bytes exceed the limit. */
async function readStream(
  stream: ReadableStream<Bytes> | null,
  refuse: () => HttpError | undefined,
  { limit, timeout }: BodyRules,
): Promise<Bytes> {
  const reader = stream?.getReader();
  const cancel = () => void reader?.cancel().catch(() => {});

  async function collect(): Promise<Blob> {
    const chunks: Bytes[] = [];
    let size = 0;
    for (;;) {
      const { done, value } = await reader?.read() ?? { done: true };
      if (done || value === undefined) return new Blob(chunks);
      const error = size > 0 || value.byteLength === 0 ? undefined : refuse();
      size += value.byteLength;
      if (error !== undefined || size > limit) {
        cancel();
        throw error ?? tooLarge("The body", limit);
      }
      chunks.push(value);
    }
  }

  const body = await withDeadline(collect(), timeout, () => {
    cancel();
    return tooSlow();
  });
  return await body.bytes();
}

/** The `Content-Length` of a request, or -1 if it is missing or malformed. */
export function declaredLength(request: Request): number {
  const header = headerOf(request, "content-length");
  // A length that was sent twice arrives as "200, 200".
  return header !== null && /^\d+$/.test(header) ? Number(header) : -1;
}

const tooSlow = () => ownError("RequestTimeout");

/**
 * Deno's inner object of a served request, which is not public; `json()` and `headers`
 * of the request use this object. Other requests, and perhaps later versions of Deno,
 * lack this object. The public members then have the same effect, but take longer
 * (`deno task bench:http --cases="json echo,zod body"`).
 */
interface InnerRequest {
  readonly consumeTextBody?: () => string | null;
  readonly header?: (name: string) => string | null;
}

/**
 * The key of the inner object, found at the first request. At startup, Bough would have
 * to create a request to find the key, which takes time.
 */
let inner: symbol | undefined;

function innerOf(request: Request): InnerRequest | undefined {
  inner ??= Object.getOwnPropertySymbols(request)
    .find(({ description }) => description === "request");
  if (inner === undefined) return undefined;
  return (request as unknown as { readonly [name: symbol]: InnerRequest })[
    inner
  ];
}

/**
 * Takes the text of a body if the whole body has arrived. The body then counts as used.
 *
 * The native `json()` works the same way, but rejects a byte order mark, which this
 * function returns with the text. The body is complete, so it does not need a deadline.
 *
 * @returns The text; `undefined` if the body is still arriving, was already read, or if
 * this version of Deno lacks the inner object.
 */
export function takeArrivedText(request: Request): string | undefined {
  const text: unknown = innerOf(request)?.consumeTextBody?.();
  return typeof text === "string" ? text : undefined;
}

/** Returns `request.headers.get(name)` without creating `Headers`. */
export function headerOf(request: Request, name: string): string | null {
  const inner = innerOf(request);
  return typeof inner?.header === "function"
    ? inner.header(name)
    : request.headers.get(name);
}

const JSON_TYPE = "application/json";

/** Nearly all bodies have this header; parsing it would cost time. */
const PLAIN_JSON: BodyType = {
  header: JSON_TYPE,
  media: JSON_TYPE,
  charset: undefined,
};

/** Returns the type of a body, which all readers of the request share. */
export function bodyType(request: Request): BodyType {
  const body = recordOf(request)?.body;
  if (body?.type !== undefined) return body.type;
  const header = headerOf(request, "content-type") ?? "";
  const type = header === JSON_TYPE ? PLAIN_JSON : typeOf(header);
  if (body !== undefined) body.type = type;
  return type;
}

function typeOf(header: string): BodyType {
  const media = mediaType(header);
  const label = parametersOf(header).get("charset") ?? "utf-8";
  // The parts of a form with files have charsets of their own.
  const isOther = media !== "" && media !== MULTIPART &&
    isOtherCharset(label);
  return { header, media, charset: isOther ? label : undefined };
}

/** Whether a charset is known, and its texts are not always UTF-8. */
function isOtherCharset(label: string): boolean {
  // `TextDecoder` takes US-ASCII for windows-1252.
  if (/^(?:utf-8|(?:us-)?ascii)$/i.test(label)) return false;
  try {
    return new TextDecoder(label).encoding !== "utf-8";
  } catch {
    return false;
  }
}

/** The messages for the client if its body does not match the content type. */
export const MALFORMED = {
  json: "The body is not valid JSON",
  formData: "The body is not a valid form",
  text: "The body is not valid UTF-8",
} as const;

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
