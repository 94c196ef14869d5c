import { HttpError } from "../http_error.ts";
import { within } from "./deadline.ts";
import type { BodyRules } from "./rules.ts";
import { headerOf, takeArrivedText } from "./served_request.ts";

/** The bytes of a body. */
export type Bytes = Uint8Array<ArrayBuffer>;

/** How to read the body of one request. */
export interface Reading {
  readonly rules: BodyRules;
  /**
   * Whether the server cuts bodies at their `Content-Length`. If so, a body that
   * declares an allowed length is read natively. Otherwise the header may lie, and
   * bytes are counted as they arrive.
   */
  readonly framed: boolean;
}

/**
 * Takes the text of a body at once, within the rules, if it has arrived as a whole.
 *
 * @returns The text; `undefined` if the body must be awaited, by `readBody`.
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
    return within(reading, rules.timeout, tooSlow);
  }
  if (request.bodyUsed) {
    return Promise.reject(
      new TypeError("The stream of the body was read before"),
    );
  }
  return readStream(request.body, () => rules.refuse(request), rules);
}

/** Why a body of a declared length may not be read; `undefined` if it may. */
function refusal(
  request: Request,
  length: number,
  { limit, refuse }: BodyRules,
): HttpError | undefined {
  if (length > limit) return tooLarge(limit);
  // An empty body does no harm, and browsers send it to other origins as well.
  return length > 0 ? refuse(request) : undefined;
}

const UTF8 = new TextDecoder();

/** @throws {SyntaxError} If the bytes are not valid JSON. */
export function parseBytes(bytes: Bytes): unknown {
  return JSON.parse(UTF8.decode(bytes));
}

/**
 * The same for a text. It may begin with a byte order mark, which is not part of it
 * (RFC 8259, section 8.1).
 */
export function parseText(text: string): unknown {
  return JSON.parse(text.charCodeAt(0) === BOM ? text.slice(1) : text);
}

const BOM = 0xfeff;

/** Reads a stream and counts its bytes; it stops at the limit. */
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
        throw error ?? tooLarge(limit);
      }
      chunks.push(value);
    }
  }

  const body = await within(collect(), timeout, () => {
    cancel();
    return tooSlow();
  });
  return await body.bytes();
}

/** The `Content-Length` of a request, or -1 if it is missing or malformed. */
function declaredLength(request: Request): number {
  const header = headerOf(request, "content-length");
  // A length that was sent twice arrives as "200, 200".
  return header !== null && /^\d+$/.test(header) ? Number(header) : -1;
}

function tooLarge(limit: number): HttpError {
  return new HttpError(413, `The body is larger than ${limit} bytes`);
}

/** The client may try again, on another connection (RFC 9110, 15.5.9). */
function tooSlow(): HttpError {
  return new HttpError(408, "The body took too long to arrive", {
    headers: { connection: "close" },
  });
}
