import { isMethod } from "../methods.ts";
import {
  type BodyReading,
  endReading,
  ensureRecord,
  recordOf,
  type RequestRecord,
} from "./record.ts";
import { readForm } from "./form.ts";
import {
  assertDecoded,
  bodyType,
  type Bytes,
  declaredLength,
  decodeBytes,
  headerOf,
  malformedForm,
  noteReadFailure,
  parseJson,
  parseText,
  readBody,
  takeBody,
} from "./read.ts";

/**
 * Replaces the body readers of a request with readers that apply the rules. All
 * requests share these functions; the record of each request stores the results.
 *
 * Middleware, validation and the handler may read a body any number of times, since
 * every reader uses the same bytes. Only `json()`, the fastest reader, does not keep
 * the bytes. After a call of `json()`, `json()` returns the same value again, and the
 * other readers reject.
 */
export function limitBody(
  request: Request,
  record: RequestRecord,
  { rules, framed }: Pick<BodyReading, "rules" | "framed">,
): void {
  const { body } = record;
  if (body === undefined) {
    record.body = {
      rules,
      type: undefined,
      framed,
      bytes: undefined,
      json: undefined,
      isEmpty: false,
      isRead: false,
    };
  } else {
    // Keep this object, since a reader of another application may still store its
    // result here.
    body.rules = rules;
    // A replaced body remains unframed.
    body.framed &&= framed;
  }
  setReaders(request);
}

/** Replaces the body of a request with the body of `source`, a copy of the request. */
export function replaceBody(request: Request, source: Request): void {
  Object.defineProperties(request, {
    body: { configurable: true, get: () => source.body },
    bodyUsed: { configurable: true, get: () => source.bodyUsed },
    textStream: { configurable: true, value: () => source.textStream() },
  });
  const record = recordOf(request);
  // The `Content-Length` of the client is not the length of this stream.
  if (record?.body !== undefined) record.body.framed = false;
}

/** Sets the readers one by one, since `Object.assign` takes four times as long. */
function setReaders(request: Request): void {
  request.json = READERS.json;
  request.text = READERS.text;
  request.bytes = READERS.bytes;
  request.arrayBuffer = READERS.arrayBuffer;
  request.blob = READERS.blob;
  request.formData = READERS.formData;
  request.clone = READERS.clone;
}

type Reader = "json" | "text" | "bytes" | "arrayBuffer" | "blob" | "formData";

const READERS: Pick<Request, Reader | "clone"> & ThisType<Request> = {
  json() {
    return readJson(this);
  },
  async text() {
    return new TextDecoder().decode(await bytesOf(this));
  },
  // Each caller gets a copy, which it may change.
  async bytes() {
    return (await bytesOf(this)).slice();
  },
  async arrayBuffer() {
    return (await bytesOf(this)).slice().buffer;
  },
  async blob() {
    return new Blob([await bytesOf(this)], { type: bodyType(this).header });
  },
  async formData() {
    const bytes = await bytesOf(this);
    let form;
    try {
      form = readForm(bytes, bodyType(this).header);
    } catch (error) {
      throw malformedForm(error);
    }
    if (form instanceof FormData) return form;
    const data = new FormData();
    for (const [name, value] of form) data.append(name, value);
    return data;
  },
  // A clone has its own body, with the same rules.
  clone() {
    const body = bodyOf(this);
    const wasRead = body.bytes !== undefined || body.json !== undefined;
    // Without a body, use the native `clone()`: `new Request` would reject a body for
    // GET.
    const copy = wasRead && this.body !== null
      ? copyWith(this, streamOf(this))
      : cloneUnread(this);
    ensureRecord(copy).body = { ...body, type: undefined, framed: false };
    setReaders(copy);
    return copy;
  },
};

/** Clones a request with an unread body; native `clone()` ignores a replaced body. */
function cloneUnread(request: Request): Request {
  if (!Object.hasOwn(request, "body")) {
    return Request.prototype.clone.call(request);
  }
  const [kept = null, copied = null] = request.body?.tee() ?? [];
  replaceBody(request, copyWith(request, kept));
  return copyWith(request, copied);
}

function copyWith(request: Request, body: ReadableStream | null): Request {
  const { url, method, headers } = request;
  if (isMethod(method)) return new Request(url, { method, headers, body });
  // The method may be TRACE, which `new Request` rejects, or "post", which it changes.
  const copy = new Request(url, { method: "POST", headers, body });
  return Object.defineProperty(copy, "method", { value: method });
}

/** A stream of a body that was already read. */
function streamOf(request: Request): ReadableStream<Bytes> {
  return new ReadableStream({
    async pull(controller) {
      controller.enqueue(await bytesOf(request));
      controller.close();
    },
  }, { highWaterMark: 0 });
}

/** Returns the state of a body with known rules. */
export function bodyOf(request: Request): BodyReading {
  return recordOf(request)!.body!;
}

/** Reads the bytes of a body. All readers share the bytes, so do not modify them. */
export function bytesOf(request: Request): Promise<Bytes> {
  const body = bodyOf(request);
  if (body.bytes !== undefined) return body.bytes;
  if (body.json !== undefined) {
    return Promise.reject(
      new TypeError(
        "The body was already read as JSON, and its bytes were not kept; to keep them, " +
          "export const config = { rawBody: true } from the route file, or from the middleware file of a folder above it",
      ),
    );
  }
  body.bytes = readToEnd(request, body);
  return body.bytes;
}

/** Reads the bytes of a body, and records that the reading has ended. */
function readToEnd(request: Request, body: BodyReading): Promise<Bytes> {
  const reading = readBody(request, body);
  reading.then(() => endReading(request), (error) => {
    noteReadFailure(error);
    endReading(request);
  });
  return reading;
}

/** Whether a body is empty. Reads a body of an unknown length, and keeps its bytes. */
export async function isAbsent(request: Request): Promise<boolean> {
  const body = bodyOf(request);
  const { json, framed } = body;
  if (json !== undefined) return json.then(() => false, () => body.isEmpty);
  if (framed && declaredLength(request) > 0) return false;
  return await bytesOf(request).then(({ length }) => length === 0, () => false);
}

/**
 * Takes the text of a JSON body synchronously, for `parseTaken`.
 *
 * @returns The text; `undefined` if the body is still arriving, was already read, or if
 * its bytes must be kept.
 * @throws {HttpError} 413 or 403.
 */
export function takeJsonText(request: Request): string | undefined {
  const body = bodyOf(request);
  const isTaken = body.bytes !== undefined || body.json !== undefined;
  const text = isTaken || isKept(request, body)
    ? undefined
    : takeBody(request, body);
  if (text !== undefined) body.isRead = true;
  return text;
}

/**
 * Parses the text of a body, and keeps the result for `request.json()`.
 *
 * @throws {SyntaxError} If the body is not valid JSON in UTF-8.
 */
export function parseTaken(request: Request, text: string): unknown {
  const body = bodyOf(request);
  try {
    assertDecoded(text, request);
    const value = parseText(text);
    body.json = Promise.resolve(value);
    return value;
  } catch (error) {
    noteReadFailure(error);
    if (text === "") noteEmpty(body);
    body.json = Promise.reject(error);
    body.json.catch(() => {
      // Handle the rejection here, since the program may never call `request.json()`.
    });
    throw error;
  }
}

/** Reads a body as JSON; every call returns the same promise. */
export function readJson(request: Request): Promise<unknown> {
  const body = bodyOf(request);
  if (body.json !== undefined) return body.json;
  try {
    const text = takeJsonText(request);
    if (text === undefined) return awaitJson(request, body);
    parseTaken(request, text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) return Promise.reject(error);
  }
  return body.json!;
}

/**
 * Whether reading a body as JSON keeps its bytes. Validation needs the bytes
 * of an encoded body, which text would corrupt.
 */
function isKept(request: Request, { rules }: BodyReading): boolean {
  return rules.raw || headerOf(request, "content-encoding") !== null;
}

function awaitJson(request: Request, body: BodyReading): Promise<unknown> {
  const reading = body.bytes !== undefined || isKept(request, body)
    ? bytesOf(request)
    : readToEnd(request, body);
  body.json = reading.then((bytes) => {
    if (bytes.length === 0) noteEmpty(body);
    return parseJson(decodeBytes(bytes));
  }, (error) => {
    // The other readers must reject with the same error, such as 413.
    body.bytes = reading;
    throw error;
  });
  // This call only records client errors; the caller receives the rejection.
  body.json.then(undefined, noteReadFailure);
  return body.json;
}

/** Records an empty body, which the other readers can still read. */
function noteEmpty(body: BodyReading): void {
  body.isEmpty = true;
  body.bytes ??= Promise.resolve(new Uint8Array());
}
