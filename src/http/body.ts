import { HttpError } from "../errors.ts";
import { within } from "./deadline.ts";

/** The methods of a `Request` that read its body as a whole. */
const READERS = [
  "json",
  "text",
  "bytes",
  "arrayBuffer",
  "blob",
  "formData",
] as const;
type Reader = typeof READERS[number];

/** The readers of a `Request`, within a limit; each is called on a request. */
export type BodyReaders = {
  readonly [Name in Reader]: (
    this: Request,
  ) => ReturnType<Request[Name]>;
};

/** The bytes of a body. */
export type Bytes = Uint8Array<ArrayBuffer>;

/** The first reading of a request's body, which may fail by the client's fault. */
const FIRST_READING = Symbol("first reading");
/** The bytes of a body that validation has read, for the handler's readers. */
const KEPT_BYTES = Symbol("kept bytes");

type ReadRequest = Request & {
  [FIRST_READING]?: { readonly name: Reader; readonly value: Promise<unknown> };
  [KEPT_BYTES]?: Bytes;
};

/** What bounds the reading of a body. */
export interface BodyBounds {
  /** The largest body to read, in bytes. */
  readonly limit: number;
  /** How long reading it may take, in milliseconds. */
  readonly timeout: number;
}

/**
 * Makes body readers that refuse more than `limit` bytes, and give up after
 * `timeout`.
 *
 * @param framed Whether the server cuts bodies at their `Content-Length`. Then
 * one that declares an allowed length is read the native and fastest way;
 * otherwise the header may lie, and bytes are counted as they arrive.
 */
export function createBodyReaders(
  bounds: BodyBounds,
  framed: boolean,
): BodyReaders {
  const readers = READERS.map((name) => [
    name,
    function (this: ReadRequest): Promise<unknown> {
      const kept = this[KEPT_BYTES];
      if (kept !== undefined) return readFrom(kept, this, name);
      // A second reading finds the body used, which is the handler's own slip.
      // (To ask `bodyUsed` instead would make the first one slow.)
      if (this[FIRST_READING] !== undefined) {
        return Request.prototype[name].call(this);
      }
      const value = readWithin(bounds, framed, this, name);
      this[FIRST_READING] = { name, value };
      return value;
    },
  ]);
  return Object.fromEntries(readers);
}

/** Puts the limited readers in the place of the request's own. */
export function installBodyReaders(
  request: Request,
  readers: BodyReaders,
): void {
  request.json = readers.json;
  request.text = readers.text;
  request.bytes = readers.bytes;
  request.arrayBuffer = readers.arrayBuffer;
  request.blob = readers.blob;
  request.formData = readers.formData;
}

/** Keeps the bytes of a body that was read, so that its readers still work. */
export function keepBody(request: Request, bytes: Bytes): void {
  (request as ReadRequest)[KEPT_BYTES] = bytes;
}

/** Lets a request have the body of another one, made from its own. */
export function replaceBody(request: Request, source: Request): void {
  Object.defineProperties(request, {
    body: { configurable: true, get: () => source.body },
    bodyUsed: { configurable: true, get: () => source.bodyUsed },
  });
}

/** Reads bytes as a body of the content type that a request declares. */
export function readFrom<Name extends Reader>(
  bytes: Bytes,
  request: Request,
  name: Name,
): ReturnType<Request[Name]> {
  const type = request.headers.get("content-type");
  const headers: HeadersInit = type === null ? {} : { "content-type": type };
  return new Response(bytes, { headers })[name]() as ReturnType<Request[Name]>;
}

/**
 * The answer to an error that a handler let through, if it is what reading the
 * request's body rejected with: a body that is malformed or breaks off is the
 * client's fault.
 */
export async function clientFault(
  error: unknown,
  request: Request,
): Promise<HttpError | undefined> {
  const reading = (request as ReadRequest)[FIRST_READING];
  if (reading === undefined || error instanceof HttpError) return undefined;
  const reason = reading.value.then(() => undefined, (reason) => reason);
  // A reading that still goes on is not what failed, and is not waited for.
  if (await Promise.race([reason, someTurns()]) !== error) return undefined;
  const detail = blame(error, reading.name);
  return detail === undefined
    ? undefined
    : new HttpError(400, detail, { cause: error });
}

/** Lasts longer than an already settled promise takes to tell its outcome. */
async function someTurns(): Promise<void> {
  for (let turn = 0; turn < 4; turn++) await undefined;
}

/** What a body is called that does not read as its type. */
export const MALFORMED = {
  json: "The body is not valid JSON",
  formData: "The body is not a valid form",
} as const;

function blame(error: unknown, name: Reader): string | undefined {
  if (error instanceof SyntaxError && name === "json") return MALFORMED.json;
  if (error instanceof TypeError) {
    // Otherwise it says that the handler locked or read the stream before.
    return name === "formData" ? MALFORMED.formData : undefined;
  }
  return "The body could not be read to its end";
}

function readWithin(
  { limit, timeout }: BodyBounds,
  framed: boolean,
  request: Request,
  name: Reader,
): Promise<unknown> {
  if (framed && !Object.hasOwn(request, "body")) {
    const length = declaredLength(request);
    if (length > limit) return Promise.reject(tooLarge(limit));
    if (length >= 0) {
      const reading: Promise<unknown> = Request.prototype[name].call(request);
      return within(reading, timeout, tooSlow);
    }
  }
  return readCounted({ limit, timeout }, request, name);
}

/** The client may try again, on another connection (RFC 9110, 15.5.9). */
function tooSlow(): HttpError {
  return new HttpError(408, "The body took too long to arrive", {
    headers: { connection: "close" },
  });
}

/** The `Content-Length` of a request, or -1 if there is none of use. */
function declaredLength(request: Request): number {
  const header = request.headers.get("content-length");
  // A length sent twice reads as "200, 200", which is no number.
  return header !== null && /^\d+$/.test(header) ? Number(header) : -1;
}

function tooLarge(limit: number): HttpError {
  return new HttpError(413, `The body is larger than ${limit} bytes`);
}

async function readCounted(
  { limit, timeout }: BodyBounds,
  request: Request,
  name: Reader,
): Promise<unknown> {
  const reader = request.body?.getReader();
  // So that no more is buffered.
  const cancel = () => void reader?.cancel().catch(() => {});

  async function collect(): Promise<Blob> {
    const chunks: Bytes[] = [];
    let size = 0;
    for (;;) {
      const { done, value } = await reader?.read() ?? { done: true };
      if (done || value === undefined) return new Blob(chunks);
      size += value.byteLength;
      if (size > limit) {
        cancel();
        throw tooLarge(limit);
      }
      chunks.push(value);
    }
  }

  const body = await within(collect(), timeout, () => {
    cancel();
    return tooSlow();
  });
  return await readFrom(await body.bytes(), request, name);
}
