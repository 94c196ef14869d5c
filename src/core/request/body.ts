import { withDeadline } from "../common/deadline.ts";
import {
  type ContentType,
  contentType,
  isJson,
  kindOfType,
} from "../common/media_type.ts";
import { shorten } from "../common/values.ts";
import { HttpError, InvalidRequest } from "../errors.ts";
import { ownError, tooLarge, wrongType } from "../own_errors.ts";
import type { BodyRules } from "./application.ts";
import {
  type Bytes,
  decode,
  MALFORMED,
  malformedForm,
  noteReadFailure,
  parseJson,
  toBytes,
  toText,
} from "./content.ts";
import { readForm } from "./form.ts";
import type { Coding } from "./inflate.ts";
import {
  headerOf,
  sentHeader,
  setBody,
  takeArrivedText,
} from "./inner_request.ts";
import {
  type BodyContent,
  BodyReading,
  endReading,
  ensureRecord,
  recordOf,
} from "./record.ts";

// A body is read once, when a reader or validation first asks for it, and within the
// rules: its size, its time, its origin. The record of the request keeps the content,
// from which all readers answer. Deno gets it back, so that `request.body`, `clone()` and
// `new Request(request)` have the whole body as well. Each of them has a copy.

/**
 * Gives a request that may have a body the readers that apply the rules. `Object.assign`
 * takes four times as long, and with another prototype, a JSON echo takes 6 % more CPU time
 * (`deno task bench:http --cases="json echo"`).
 */
export function limitBody(request: Request, rules: BodyRules): void {
  request.json = READERS.json;
  request.text = READERS.text;
  request.bytes = READERS.bytes;
  request.arrayBuffer = READERS.arrayBuffer;
  request.blob = READERS.blob;
  request.formData = READERS.formData;
  request.clone = READERS.clone;
  // If another application has passed the request on, its readers may still store the
  // content in the same object.
  const body = ensureRecord(request).body ??= new BodyReading(rules);
  body.rules = rules;
}

/** Replaces the body of a request with the body of `source`, a copy of the request. */
export function replaceBody(request: Request, source: Request): void {
  setBody(request, source.body ?? "");
  const record = recordOf(request);
  if (record?.body === undefined) return;
  // The `Content-Length` of the client is not the length of this body. A reader of the
  // replaced body may still store its content in the previous object.
  const { rules } = record.body;
  record.body = Object.assign(new BodyReading(rules), { length: -1 });
}

type Reader = "json" | "text" | "bytes" | "arrayBuffer" | "blob" | "formData";

const READERS: Pick<Request, Reader | "clone"> & ThisType<Request> = {
  async json() {
    try {
      // A request that has ended no longer gives its headers.
      const content = bodyOf(this).content ??
        contentOf(this, headerOf(this, "content-encoding") === null);
      // Awaiting costs time, and most JSON bodies have arrived.
      return parseJson(content instanceof Promise ? await content : content);
    } catch (error) {
      noteReadFailure(error);
      throw error;
    }
  },
  async text() {
    return toText(await contentOf(this));
  },
  async bytes() {
    return toBytes(await contentOf(this)).slice();
  },
  async arrayBuffer() {
    return toBytes(await contentOf(this)).slice().buffer;
  },
  async blob() {
    return new Blob([await contentOf(this)], { type: bodyType(this).header });
  },
  async formData() {
    const content = await contentOf(this);
    let form;
    try {
      form = readForm(toBytes(content), bodyType(this).header);
    } catch (error) {
      throw malformedForm(error);
    }
    if (form instanceof FormData) return form;
    const data = new FormData();
    for (const [name, value] of form) data.append(name, value);
    return data;
  },
  // A clone has its own body, with the same rules and the same content.
  clone() {
    const { content, rules } = bodyOf(this);
    if (content !== undefined) restoreBody(this, content);
    const copy = Request.prototype.clone.call(this);
    limitBody(copy, rules);
    bodyOf(copy).content = content;
    return copy;
  },
};

/** Gives Deno the content of a body, even one that is still arriving. */
function restoreBody(
  request: Request,
  content: BodyContent | Promise<BodyContent>,
): void {
  setBody(request, typeof content === "string" ? content : streamOf(content));
}

/** A stream of a copy of a body. */
function streamOf(
  content: BodyContent | Promise<BodyContent>,
): ReadableStream<Bytes> {
  return new ReadableStream({
    async pull(controller) {
      controller.enqueue(toBytes(await content).slice());
      controller.close();
    },
  }, { highWaterMark: 0 });
}

/** Returns the state of a body with known rules. */
function bodyOf(request: Request): BodyReading {
  return recordOf(request)!.body!;
}

/**
 * Reads a body, unless it was read.
 *
 * @param asText Whether a text may stand for the bytes of JSON, which is faster. The
 * bytes of an encoded body would be lost.
 * @throws {HttpError} 413 or 403. If the body must be awaited, the promise rejects.
 */
function contentOf(
  request: Request,
  asText = false,
): BodyContent | Promise<BodyContent> {
  const body = bodyOf(request);
  if (body.content !== undefined) return body.content;
  const length = lengthOf(request, body);
  if (length >= 0) assertAllowed(request, length, body.rules);
  const text = asText && length >= 0 && isJson(bodyType(request).media)
    ? takeArrivedText(request)
    : undefined;
  // Since the handler has waited, a server that stops may wait for this body.
  if (text !== undefined && !recordOf(request)!.isFresh) endReading(request);
  const content = text === undefined
    ? readToEnd(request, body)
    : isLossy(text, length)
    ? rejectLossy()
    : withMark(text);
  restoreBody(request, content);
  return body.content = content;
}

/** The content of a text; Deno would not remove a byte order mark from a text. */
function withMark(text: string): BodyContent {
  return text.charCodeAt(0) === MARK ? toBytes(text) : text;
}

const MARK = 0xfeff;

/**
 * Whether Deno has replaced bytes that are not UTF-8 in a text. Their number is known, but
 * the bytes are not: reading bytes first costs 14 % of the CPU time of a JSON echo. U+FFFD
 * has three bytes, as many as a character of four bytes without its last byte, which this
 * check therefore accepts.
 */
function isLossy(text: string, length: number): boolean {
  return text.includes("\ufffd") && toBytes(text).length !== length;
}

/** The rejection for every reader of a body whose bytes are lost. */
function rejectLossy(): Promise<never> {
  const error = new SyntaxError(MALFORMED.text);
  noteReadFailure(error);
  return Promise.reject(error);
}

async function readToEnd(
  request: Request,
  body: BodyReading,
): Promise<BodyContent> {
  try {
    return body.content = await readBytes(request, body);
  } catch (error) {
    noteReadFailure(error);
    throw error;
  } finally {
    endReading(request);
  }
}

function readBytes(request: Request, body: BodyReading): Promise<Bytes> {
  const { rules } = body;
  if (lengthOf(request, body) >= 0) {
    const reading = Request.prototype.bytes.call(request) as Promise<Bytes>;
    return withDeadline(reading, rules.timeout, tooSlow);
  }
  if (request.bodyUsed) {
    throw new TypeError("The stream of the body was already read");
  }
  return readStream(request, rules);
}

/** Reads the stream of a body, and stops as soon as the bytes exceed the limit. */
async function readStream(
  request: Request,
  { limit, timeout, refuse }: BodyRules,
): Promise<Bytes> {
  const reader = request.body?.getReader();
  const cancel = () => void reader?.cancel().catch(() => {});

  async function collect(): Promise<Blob> {
    const chunks: Bytes[] = [];
    let size = 0;
    for (;;) {
      const { done, value } = await reader?.read() ?? { done: true };
      if (done || value === undefined) return new Blob(chunks);
      const error = size > 0 || value.byteLength === 0
        ? undefined
        : refuse(request, bodyType(request));
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

/** @throws {HttpError} 413 or 403. */
function assertAllowed(
  request: Request,
  size: number,
  { limit, refuse }: BodyRules,
): void {
  if (size > limit) throw tooLarge("The body", limit);
  // An empty body is harmless, and browsers send it to other origins, too.
  const error = size > 0 ? refuse(request, bodyType(request)) : undefined;
  if (error !== undefined) throw error;
}

const tooSlow = () => ownError("RequestTimeout");

/**
 * The `Content-Length` to which Deno's server limits a body; -1 if it is missing or
 * malformed, or if the request was made in this process, where it may be wrong.
 */
function lengthOf(request: Request, body: BodyReading): number {
  if (body.length === undefined) {
    // Deno rejects a request with anything but digits, and joins the lengths of a request
    // with two: "200, 200".
    const length = Number(sentHeader(request, "content-length") ?? NaN);
    body.length = length >= 0 ? length : -1;
  }
  return body.length;
}

/** Returns the type of a body, which is read once for all readers of the request. */
export function bodyType(request: Request): ContentType {
  return bodyOf(request).type ??= contentType(
    headerOf(request, "content-type") ?? "",
  );
}

/** A body as a value to validate or as a form, or the description of a malformed body. */
export type ParsedBody =
  | { readonly value: unknown }
  | { readonly form: FormData | URLSearchParams }
  | { readonly malformed: string };

/**
 * Reads and parses a body according to its content type. Returns a promise only if the
 * body is still arriving or compressed. Most bodies arrive together with their headers.
 *
 * @param fault The error for the type, which an empty body does not get.
 * @returns The value, which is `undefined` for an empty body, or a description of a
 * malformed body.
 * @throws {HttpError} 403, 413, or 415 for another type, charset or encoding.
 */
export function parseBody(
  request: Request,
  type: ContentType,
  fault?: HttpError,
): ParsedBody | Promise<ParsedBody> {
  const coding = fault ?? codingOf(request);
  if (coding instanceof HttpError) return rejectFull(request, coding);
  const content = contentOf(request, coding === undefined);
  return coding === undefined && !(content instanceof Promise)
    ? parseContent(content, type)
    : parseLater(content, type, { coding, limit: bodyOf(request).rules.limit });
}

async function parseLater(
  arriving: BodyContent | Promise<BodyContent>,
  type: ContentType,
  { coding, limit }: { coding: Coding | undefined; limit: number },
): Promise<ParsedBody> {
  try {
    let content = await arriving;
    if (coding !== undefined && content.length > 0) {
      const { inflateBytes } = await import("./inflate.ts");
      content = await inflateBytes(toBytes(content), { coding, limit });
    }
    return parseContent(content, type);
  } catch (error) {
    return malformed(error);
  }
}

function parseContent(
  content: BodyContent,
  { media, header }: ContentType,
): ParsedBody {
  const kind = kindOfType(media);
  if (content.length === 0 && kind !== "text") return { value: undefined };
  try {
    if (kind === "form") return { form: readForm(toBytes(content), header) };
    return { value: kind === "text" ? decode(content) : parseJson(content) };
  } catch (error) {
    return malformed(error);
  }
}

/** The description of a malformed body; throws any other error. */
function malformed(error: unknown): ParsedBody {
  if (error instanceof SyntaxError) return { malformed: error.message };
  throw error;
}

/** Throws an error, unless the body is empty. Reads a body of an unknown length. */
async function rejectFull(
  request: Request,
  error: HttpError,
): Promise<ParsedBody> {
  try {
    const mayBeEmpty = lengthOf(request, bodyOf(request)) <= 0;
    if (mayBeEmpty && (await contentOf(request)).length === 0) {
      return { value: undefined };
    }
  } catch {
    // The error for the type is the first that the client must correct.
  }
  throw error;
}

/** The maximum length of a media type or encoding in a message. */
const MAX_NAME = 100;

/**
 * Rejects a body without a type, whose meaning the server would have to guess (RFC 10008,
 * section 2.1). Reads a body of an unknown length, since the body may be empty.
 *
 * @throws {HttpError} 400; if the body must be read, the promise rejects.
 */
export function requireType(request: Request): void | Promise<void> {
  const body = bodyOf(request);
  if (bodyType(request).media !== "") return;
  const rejectIf = (length: number) => {
    if (length === 0) return;
    throw new InvalidRequest(
      "The body has no type; send the header Content-Type",
    );
  };
  const length = lengthOf(request, body);
  if (length >= 0) return rejectIf(length);
  // Nothing is known of a body that middleware has read as a stream.
  if (body.content === undefined && request.bodyUsed) return;
  return Promise.resolve(contentOf(request)).then(({ length }) =>
    rejectIf(length)
  );
}

/**
 * The error for a body of a type that a method does not read, or in another charset.
 *
 * @param found The declared type of the body, if the method reads the body.
 */
export function typeFault(
  { media, charset }: ContentType,
  found: string | undefined,
  accepted: readonly string[],
): HttpError | undefined {
  if (found !== undefined && charset === undefined) return undefined;
  const [type, accept] = found === undefined
    ? [media, accepted.join(", ")]
    : [`${media}; charset=${charset}`, `${found}; charset=utf-8`];
  return wrongType("The body", shorten(type, MAX_NAME), accept);
}

/**
 * Returns the encoding of a body; `undefined` if the body is not encoded. Another encoding
 * gets the error 415 with the accepted encodings (RFC 9110, 15.5.16).
 */
export function codingOf(request: Request): Coding | HttpError | undefined {
  const header = headerOf(request, "content-encoding");
  const coding = header?.toLowerCase();
  if (!header || coding === "identity") return undefined;
  if (coding === "gzip" || coding === "x-gzip") return "gzip";
  if (coding === "deflate") return "deflate";
  const found = shorten(header, MAX_NAME);
  const detail =
    `The body is encoded with "${found}"; send it with gzip or deflate, or unencoded`;
  return ownError("UnsupportedMediaType", detail, {
    headers: { "accept-encoding": "gzip, deflate" },
  });
}
