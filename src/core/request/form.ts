import {
  isForm,
  mediaType,
  MULTIPART,
  OCTET_STREAM,
  parametersOf,
} from "../common/media_type.ts";
import { type Bytes, decode, MALFORMED } from "./content.ts";

/**
 * Reads bytes as a form, in linear time. The reader of Deno 2.9.6 takes quadratic time,
 * such as 5 s for 64,000 spaces in a `Content-Type`.
 *
 * @param type The `Content-Type` of the form.
 * @throws {SyntaxError} If the bytes are malformed, or the type is not a form type.
 */
export function readForm(
  bytes: Bytes,
  type: string,
): FormData | URLSearchParams {
  if (mediaType(type) === MULTIPART) {
    return readMultipart(bytes, type);
  }
  if (!isForm(type)) throw new SyntaxError(MALFORMED.formData);
  // Without the "&", `URLSearchParams` would remove a "?" at the start.
  return new URLSearchParams("&" + decode(bytes));
}

/** A form or a query as an object; the values of a repeated name are an array. */
export function valuesByName(
  entries: FormData | URLSearchParams,
): Record<string, unknown> {
  const values: Record<string, unknown> = Object.create(null);
  for (const [name, value] of entries) addValue(values, name, value);
  return values;
}

function addValue(
  values: Record<string, unknown>,
  name: string,
  value: unknown,
): void {
  const before = values[name];
  if (before === undefined) values[name] = value;
  else if (Array.isArray(before)) before.push(value);
  else values[name] = [before, value];
}

/** Characters that only `URLSearchParams` decodes, and tabs, which `URL` removes. */
const ENCODED = /[%+\t\ud800-\udfff]/;

/**
 * The length up to which Bough splits a query itself. Its values are parts of the URL,
 * so a kept value keeps the whole URL in memory.
 */
const SHORT = 1_000;

/**
 * The query of a URL as an object, like {@linkcode valuesByName}. Splits a short query
 * without escapes itself, since `URLSearchParams` takes 6 times as long
 * (`deno bench -A tests/instruments/bench/check_request_bench.ts`).
 */
export function queryValues(url: string): Record<string, unknown> {
  const values: Record<string, unknown> = Object.create(null);
  const start = url.indexOf("?");
  if (start === -1) return values;
  // Cut off the fragment first: in `/q#?admin=true`, the `?` is in the fragment.
  const fragment = url.indexOf("#");
  const query = url.slice(start, fragment === -1 ? undefined : fragment);
  if (url.length > SHORT || ENCODED.test(query)) {
    // A `Host` such as `h/q?ad<TAB>min=true&` may contain a tab.
    return valuesByName(new URLSearchParams(query.replaceAll("\t", "")));
  }
  for (let from = 1, end; from < query.length; from = end + 1) {
    end = query.indexOf("&", from);
    if (end === -1) end = query.length;
    const pair = query.slice(from, end);
    const equals = pair.indexOf("=");
    if (equals !== -1) {
      addValue(values, pair.slice(0, equals), pair.slice(equals + 1));
    } else if (pair !== "") addValue(values, pair, "");
  }
  return values;
}

/**
 * The cookies in a header `Cookie` by name (RFC 6265, section 5.4). Of several cookies with
 * one name, the first counts, since browsers send the cookie of the longest path first.
 * `getCookies()` of `@std/http` keeps the last, and its object inherits `constructor`.
 *
 * Only spaces separate pairs: with `trim()`, a page of another subdomain could send
 * `\xa0__Host-session`.
 */
export function cookieValues(header: string): Record<string, string> {
  const cookies: Record<string, string> = Object.create(null);
  for (const pair of header.split(/; */)) {
    const [name, ...rest] = pair.split("=");
    if (name === "" || rest.length === 0) continue;
    cookies[name!] ??= decodeCookie(rest.join("="));
  }
  return cookies;
}

/** The value of a cookie, without quotation marks and escapes such as `%C3%BC`. */
export function decodeCookie(value: string): string {
  const text = /^".*"$/.test(value) ? value.slice(1, -1) : value;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * Reads a form of the type `multipart/form-data` (RFC 7578).
 *
 * @throws {SyntaxError} If the bytes are malformed or incomplete.
 */
export function readMultipart(bytes: Bytes, type: string): FormData {
  const parser = new MultipartParser(boundaryOf(type));
  const form = new FormData();
  let part: PartHead | undefined;
  let content: Bytes[] = [];
  for (const event of [...parser.write(bytes), ...parser.end(), undefined]) {
    if (event instanceof Uint8Array) content.push(event);
    else {
      if (part !== undefined) append(form, part, content);
      part = event;
      content = [];
    }
  }
  return form;
}

function append(
  form: FormData,
  { field, name, type }: PartHead,
  content: Bytes[],
): void {
  if (name === undefined) {
    const decoder = new TextDecoder();
    const texts = content.map((bytes) =>
      decoder.decode(bytes, { stream: true })
    );
    form.append(field, texts.join("") + decoder.decode());
  } else {
    const options = { type: type || OCTET_STREAM };
    form.append(field, new File(content, name, options));
  }
}

/** A field or a file of a form, as the headers of its part describe it. */
export interface PartHead {
  /** The name of the field. */
  readonly field: string;
  /** The name of the file that the client sent; `undefined` for a field. */
  readonly name: string | undefined;
  /** The value of `Content-Type`; `""` if the header is missing. */
  readonly type: string;
  /** The size of the headers, in bytes. */
  readonly size: number;
}

/** The beginning of a part, or the next bytes of its content. */
export type FormEvent = PartHead | Bytes;

/** The maximum size of the headers of a part with their line breaks, in bytes. */
export const MAX_HEADERS = 16 * 1024;

/** The maximum number of spaces and tabs after a boundary, which some gateways add. */
const MAX_PADDING = 256;

const TAB = 0x09;
const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const DASH = 0x2d;
const LINE_BREAK: Bytes = new Uint8Array([CR, LF]);

const ENCODER = new TextEncoder();
const DECODER = new TextDecoder();

/** A line between two parts, with the line breaks before and after it. */
interface Delimiter {
  readonly start: number;
  /** The offset of the line break after the line; absent until all of it has arrived. */
  readonly end?: number;
  /** Whether the line ends the form. */
  readonly isLast?: boolean;
}

/**
 * Splits a form of the type `multipart/form-data` (RFC 7578) into parts while its bytes
 * arrive, in linear time.
 *
 * A delimiter is a whole line. With the boundary `b`, the lines `--b` and `--b--` are
 * delimiters, even if spaces or tabs follow (RFC 2046, 5.1.1). Any other line is
 * content, even a line such as `--bx` that only begins with a delimiter.
 */
export class MultipartParser {
  /** The beginning of a delimiter: the line break before it, `--` and the boundary. */
  readonly #delimiter: Bytes;
  #state: "preamble" | "headers" | "content" | "epilogue" = "preamble";
  /**
   * The bytes to read again with the next chunk. Each state begins with a line break,
   * which may belong to a delimiter: the content of a part may be empty.
   */
  #rest: Bytes = LINE_BREAK;
  /** The number of bytes at the beginning of `#rest` that are not content. */
  #skipped = LINE_BREAK.length;
  /** A file without a name, until its first byte arrives. */
  #unnamed: PartHead | undefined;

  /** @param boundary The boundary, from the `Content-Type` of the form. */
  constructor(boundary: string) {
    this.#delimiter = ENCODER.encode(`\r\n--${boundary}`);
  }

  /**
   * Reads the next bytes.
   *
   * @returns The parts that begin, each followed by its content so far. The content is a
   * view of `chunk`, or of a copy if earlier bytes were kept. The result lacks files
   * without a name and content, which browsers send for an input without a choice.
   * @throws {SyntaxError} If the form is malformed.
   */
  write(chunk: Bytes): FormEvent[] {
    if (this.#state === "epilogue") return [];
    if (this.#rest.length === 0) return this.#read(chunk, false);
    const bytes = new Uint8Array(this.#rest.length + chunk.length);
    bytes.set(this.#rest);
    bytes.set(chunk, this.#rest.length);
    return this.#read(bytes, false);
  }

  /**
   * Ends the form.
   *
   * @returns The events of the bytes that were kept.
   * @throws {SyntaxError} If the form is incomplete.
   */
  end(): FormEvent[] {
    const events = this.#read(this.#rest, true);
    if (this.#state !== "epilogue") throw new SyntaxError(MALFORMED.formData);
    return events;
  }

  /** @param isWhole Whether the form ends with these bytes. */
  #read(bytes: Bytes, isWhole: boolean): FormEvent[] {
    const events: FormEvent[] = [];
    let from = 0;
    while (this.#state !== "epilogue") {
      if (this.#state === "headers") {
        const end = this.#endOfHeaders(bytes, from);
        if (end === -1) break;
        const head = headOf(bytes.subarray(from, end));
        this.#unnamed = head.name === "" ? head : undefined;
        if (this.#unnamed === undefined) events.push(head);
        from = end;
        this.#state = "content";
        this.#skipped = LINE_BREAK.length;
      }
      const { start, end, isLast } = this.#find(bytes, from, isWhole);
      const content = from + this.#skipped;
      if (this.#state === "content" && content < start) {
        if (this.#unnamed !== undefined) events.push(this.#unnamed);
        this.#unnamed = undefined;
        events.push(bytes.subarray(content, start));
      }
      this.#skipped = Math.max(0, content - start);
      from = end ?? start;
      if (end === undefined) break;
      this.#state = isLast ? "epilogue" : "headers";
    }
    this.#rest = bytes.slice(from);
    return events;
  }

  /**
   * The offset of the line break of the empty line after the headers; -1 if the line has
   * not arrived.
   *
   * @throws {SyntaxError} If the headers are too long, or if the part ends within them.
   */
  #endOfHeaders(bytes: Bytes, from: number): number {
    const end = endOfLines(bytes, from);
    // If the end is missing, the last byte may be the first byte of the empty line.
    const size = (end === -1 ? bytes.length - 1 : end) - from;
    if (size > LINE_BREAK.length + MAX_HEADERS) {
      throw new SyntaxError(
        `A part of the form has headers of more than ${MAX_HEADERS} bytes`,
      );
    }
    const headers = bytes.subarray(from, end === -1 ? bytes.length : end);
    if (this.#find(headers, 0, false).end === undefined) return end;
    throw new SyntaxError(MALFORMED.formData);
  }

  /** Finds the first delimiter, or the first bytes that may become one. */
  #find(bytes: Bytes, from: number, isWhole: boolean): Delimiter {
    let start = bytes.indexOf(CR, from);
    for (; start !== -1; start = bytes.indexOf(CR, start + 1)) {
      const delimiter = this.#matchAt(bytes, start, isWhole);
      if (delimiter !== undefined) return delimiter;
    }
    return { start: bytes.length };
  }

  #matchAt(
    bytes: Bytes,
    start: number,
    isWhole: boolean,
  ): Delimiter | undefined {
    let end = start;
    for (const byte of this.#delimiter) {
      if (end === bytes.length) return isWhole ? undefined : { start };
      if (bytes[end++] !== byte) return undefined;
    }
    const isLast = bytes[end] === DASH && bytes[end + 1] === DASH;
    if (isLast) end += 2;
    const most = end + MAX_PADDING;
    while (end < most && (bytes[end] === SPACE || bytes[end] === TAB)) end++;
    const missing = end + 2 - bytes.length;
    if (bytes[end] === CR && bytes[end + 1] === LF) {
      return { start, end, isLast };
    }
    if (isWhole) {
      return isLast && missing === 2 ? { start, end, isLast } : undefined;
    }
    // The next byte decides: "\r" may begin a line break, and "-" the last delimiter.
    const isOpen = missing === 2 ||
      missing === 1 && (bytes[end] === CR || bytes[end] === DASH);
    return isOpen ? { start } : undefined;
  }
}

/** The offset of the second of two consecutive line breaks, or -1. */
function endOfLines(bytes: Bytes, from: number): number {
  let end = bytes.indexOf(LF, from + 3);
  while (
    end !== -1 &&
    !(bytes[end - 1] === CR && bytes[end - 2] === LF && bytes[end - 3] === CR)
  ) end = bytes.indexOf(LF, end + 1);
  return end === -1 ? -1 : end - 1;
}

/** @throws {SyntaxError} If the part has no name (RFC 7578, 4.2). */
function headOf(headers: Bytes): PartHead {
  const values = new Map<string, string>();
  for (const line of DECODER.decode(headers).split("\r\n")) {
    const colon = line.indexOf(":");
    const name = line.slice(0, colon).toLowerCase();
    values.set(name, line.slice(colon + 1).trim());
  }
  const parameters = parametersOf(values.get("content-disposition") ?? "");
  // Browsers encode these three characters in names (HTML Standard).
  const nameIn = (parameter: string) =>
    parameters.get(parameter)?.replaceAll(/%(?:22|0D|0A)/g, decodeURIComponent);
  const field = nameIn("name");
  if (field === undefined) {
    throw new SyntaxError("A part of the form has no name");
  }
  return {
    field,
    name: nameIn("filename"),
    type: values.get("content-type") ?? "",
    size: headers.length - LINE_BREAK.length,
  };
}

/**
 * The boundary of a form.
 *
 * @param type The `Content-Type` of the form.
 * @throws {SyntaxError} If the type names no boundary.
 */
export function boundaryOf(type: string): string {
  const boundary = parametersOf(type).get("boundary");
  if (boundary) return boundary;
  throw new SyntaxError('The form has no "boundary" in its content type');
}
