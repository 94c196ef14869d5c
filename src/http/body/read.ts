import { HttpError } from "../http_error.ts";
import { within } from "./deadline.ts";
import type { BodyRules } from "./rules.ts";

/** The bytes of a body. */
export type Bytes = Uint8Array<ArrayBuffer>;

/** The native readers of a request that the first read may use. */
type NativeReader = "json" | "bytes";

/**
 * Reads the whole body of a request, within the rules.
 *
 * @param framed Whether the server cuts bodies at their `Content-Length`. If so, a
 * body that declares an allowed length is read by the native reader, the fastest
 * one. Otherwise the header may lie, and bytes are counted as they arrive.
 */
export function readBody(
  request: Request,
  name: NativeReader,
  { rules, framed }: { readonly rules: BodyRules; readonly framed: boolean },
): Promise<unknown> {
  const { limit, timeout } = rules;
  const length = framed ? declaredLength(request) : -1;
  if (length > limit) return Promise.reject(tooLarge(limit));
  // An empty body does no harm, and browsers send it to other origins as well.
  const refusal = length > 0 ? rules.refuse(request) : undefined;
  if (refusal !== undefined) return Promise.reject(refusal);
  if (length >= 0) {
    const reading: Promise<unknown> = Request.prototype[name].call(request);
    return within(reading, timeout, tooSlow);
  }
  if (request.bodyUsed) {
    return Promise.reject(
      new TypeError("The stream of the body was read before"),
    );
  }
  const bytes = readStream(request.body, () => rules.refuse(request), rules);
  return name === "bytes" ? bytes : bytes.then(parseJson);
}

const UTF8 = new TextDecoder();

/** @throws {SyntaxError} If the bytes are not valid JSON. */
export function parseJson(bytes: Bytes): unknown {
  return JSON.parse(UTF8.decode(bytes));
}

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
  const header = request.headers.get("content-length");
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
