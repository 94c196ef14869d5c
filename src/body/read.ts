import { withDeadline } from "../common/deadline.ts";
import { HttpError, InvalidRequest } from "../errors.ts";
import type { BodyReading, BodyRules } from "../record/record.ts";

/** The bytes of a body. */
export type Bytes = Uint8Array<ArrayBuffer>;

/** How to read the body of one request. */
type Reading = Pick<BodyReading, "rules" | "framed">;

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
    return withDeadline(reading, rules.timeout, tooSlow);
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

  const body = await withDeadline(collect(), timeout, () => {
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

/**
 * What Deno keeps behind a request that it serves. It is not public; `json()` and
 * `headers` of such a request use it. Other requests, and perhaps those of a later
 * Deno, lack it: then the public members serve as well, but take longer
 * (`deno task bench:http --cases="json echo,zod body"`).
 */
interface InnerRequest {
  readonly consumeTextBody?: () => string | null;
  readonly header?: (name: string) => string | null;
}

/**
 * Where Deno keeps it, as soon as a request has shown it: to make one only for that
 * would delay each start.
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
 * Takes the text of a body that has arrived as a whole. After that, the body is used.
 *
 * The native `json()` takes it in the same way, but refuses a byte order mark, which
 * this returns with the text. Without a promise, the body needs no deadline either.
 *
 * @returns The text; `undefined` if the body is still arriving, was read before, or
 * if this Deno has no such way.
 */
export function takeArrivedText(request: Request): string | undefined {
  const text: unknown = innerOf(request)?.consumeTextBody?.();
  return typeof text === "string" ? text : undefined;
}

/** A header of a request: what `request.headers.get()` returns, without `Headers`. */
export function headerOf(request: Request, name: string): string | null {
  const inner = innerOf(request);
  return typeof inner?.header === "function"
    ? inner.header(name)
    : request.headers.get(name);
}

/** What the client reads where its body is not what its content type says. */
export const MALFORMED = {
  json: "The body is not valid JSON",
  formData: "The body is not a valid form",
} as const;

/**
 * The errors of body readers that are a client's fault, each with the detail for
 * the client. If a handler does not catch one, the response is a 400.
 */
const details = new WeakMap<object, string>();

/** Notes an error of a body reader if it is the client's fault. */
export function noteReadFailure(error: unknown): void {
  if (!(error instanceof Error) || error instanceof HttpError) return;
  if (error instanceof SyntaxError) {
    details.set(error, MALFORMED.json);
  } else if (!(error instanceof TypeError)) {
    // With a TypeError, the handler had locked or read the stream before.
    details.set(error, "The body could not be read to its end");
  }
}

/** The error of `formData()` where the body is not a form. */
export function malformedForm(): TypeError {
  const error = new TypeError(MALFORMED.formData);
  details.set(error, MALFORMED.formData);
  return error;
}

/**
 * The 400 for an error of a body reader that a handler did not catch; `undefined`
 * for every other error.
 */
export function clientFault(error: unknown): HttpError | undefined {
  const detail = details.get(error as object);
  return detail === undefined
    ? undefined
    : new InvalidRequest(detail, { cause: error });
}
