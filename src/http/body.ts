import { HttpError } from "../errors.ts";

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

type Bytes = Uint8Array<ArrayBuffer>;

/** Bytes of a body that validation has read, kept for the handler's readers. */
const KEPT = Symbol("kept body");
type KeptRequest = Request & { [KEPT]?: Bytes };

/**
 * Faults that a reader met in a client's body, and their answers. A reader
 * rejects with the error that the web standard names, such as a `SyntaxError`;
 * a handler that does not catch it has a client to blame, not itself.
 */
const clientFaults = new WeakMap<object, HttpError>();

/** The answer to an error that a body reader rejected with, if it is one. */
export function clientFault(error: unknown): HttpError | undefined {
  return typeof error === "object" && error !== null
    ? clientFaults.get(error)
    : undefined;
}

/**
 * Makes body readers that refuse more than `limit` bytes.
 *
 * @param limit The largest body to read, in bytes.
 * @param framed Whether the server cuts bodies at their `Content-Length`. Then
 * one that declares an allowed length is read the native and fastest way;
 * otherwise the header may lie, and bytes are counted as they arrive.
 */
export function createBodyReaders(limit: number, framed: boolean): BodyReaders {
  const readers = READERS.map((name) => [
    name,
    function (this: Request): Promise<unknown> {
      const kept = (this as KeptRequest)[KEPT];
      if (kept !== undefined) return explain(fromBytes(this, kept, name), name);
      // A second read is the handler's own slip: it gets the native error.
      if (this.bodyUsed) return Request.prototype[name].call(this);
      if (framed) {
        const length = declaredLength(this);
        if (length > limit) return Promise.reject(tooLarge(limit));
        if (length >= 0) {
          return explain(Request.prototype[name].call(this), name);
        }
      }
      return explain(readCounted(this, limit, name), name);
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

/** A body in a content type that Bough reads, as a value to validate. */
export type ParsedBody =
  | { readonly value: unknown }
  | { readonly malformed: string };

const READ_TYPES =
  "application/json, application/x-www-form-urlencoded, multipart/form-data";

/**
 * Reads the body of a request by its content type: JSON, also where no type is
 * given, or a form. The request's readers still work afterwards.
 *
 * @throws {HttpError} 415 for another content type, 413 for too large a body.
 */
export async function parseBody(
  request: Request,
  readers: BodyReaders,
): Promise<ParsedBody> {
  const type = mediaType(request);
  const isForm = type === "application/x-www-form-urlencoded" ||
    type === "multipart/form-data";
  if (!isForm && !isJson(type)) {
    throw new HttpError(
      415,
      `The body is "${type}"; this route reads ${READ_TYPES}`,
      { headers: { accept: READ_TYPES } },
    );
  }
  const bytes = await readers.bytes.call(request);
  (request as KeptRequest)[KEPT] = bytes;
  if (bytes.length === 0) return { value: undefined };
  try {
    return isForm
      ? { value: formValues(await fromBytes(request, bytes, "formData")) }
      : { value: JSON.parse(UTF8.decode(bytes)) };
  } catch {
    return { malformed: MALFORMED[isForm ? "formData" : "json"] };
  }
}

const UTF8 = new TextDecoder();

const MALFORMED = {
  json: "The body is not valid JSON",
  formData: "The body is not a valid form",
};

function mediaType(request: Request): string {
  const type = request.headers.get("content-type") ?? "";
  return type.split(";", 1)[0]!.trim().toLowerCase();
}

function isJson(type: string): boolean {
  return type === "" || type === "application/json" ||
    /^[^/]+\/[^/]+\+json$/.test(type);
}

/** A form as an object; a name that is repeated becomes an array. */
function formValues(form: FormData): Record<string, unknown> {
  const values: Record<string, unknown> = Object.create(null);
  for (const name of form.keys()) {
    const all = form.getAll(name);
    values[name] = all.length === 1 ? all[0] : all;
  }
  return values;
}

/** The `Content-Length` of a request, or -1 if there is none of use. */
function declaredLength(request: Request): number {
  const header = request.headers.get("content-length");
  // A length sent twice reads as "200, 200", which is no number.
  return header === null ? -1 : /^\d+$/.test(header) ? Number(header) : -1;
}

function tooLarge(limit: number): HttpError {
  return new HttpError(413, `The body is larger than ${limit} bytes`);
}

async function readCounted<Name extends Reader>(
  request: Request,
  limit: number,
  name: Name,
): Promise<unknown> {
  const chunks: Bytes[] = [];
  let size = 0;
  // Leaving the loop cancels the stream, so that no more is buffered.
  for await (const chunk of request.body ?? []) {
    size += chunk.byteLength;
    if (size > limit) throw tooLarge(limit);
    chunks.push(chunk);
  }
  return await fromBytes(request, await new Blob(chunks).bytes(), name);
}

function fromBytes<Name extends Reader>(
  request: Request,
  bytes: Bytes,
  name: Name,
): ReturnType<Request[Name]> {
  const type = request.headers.get("content-type");
  const copy = new Response(bytes, {
    headers: type ? { "content-type": type } : {},
  });
  return copy[name]() as ReturnType<Request[Name]>;
}

/** Remembers whom to blame if reading a body for the first time fails. */
function explain(reading: Promise<unknown>, name: Reader): Promise<unknown> {
  return reading.catch((error: object) => {
    if (!(error instanceof HttpError)) {
      clientFaults.set(
        error,
        new HttpError(400, blame(error, name), { cause: error }),
      );
    }
    throw error;
  });
}

function blame(error: object, name: Reader): string {
  if (name === "json" && error instanceof SyntaxError) return MALFORMED.json;
  if (name === "formData" && error instanceof TypeError) {
    return MALFORMED.formData;
  }
  return "The body could not be read to its end";
}
