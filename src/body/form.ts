import { mediaType } from "../common/media_type.ts";
import type { Bytes } from "./read.ts";

export function isForm(type: string): boolean {
  const media = mediaType(type);
  return media === "application/x-www-form-urlencoded" ||
    media === "multipart/form-data";
}

/**
 * Reads bytes as a form, in linear time, unlike Deno's own reader.
 *
 * @returns The form; `undefined` if the content type is not a form type, or the bytes
 * are malformed.
 */
export function readForm(
  bytes: Bytes,
  type: string,
): FormData | URLSearchParams | undefined {
  if (!isForm(type)) return undefined;
  return mediaType(type) === "multipart/form-data"
    ? readMultipart(bytes, type)
    // Without the "&", `URLSearchParams` would remove a "?" at the start.
    : new URLSearchParams("&" + new TextDecoder().decode(bytes));
}

const TAB = 0x09;
const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const DASH = 0x2d;

const ENCODER = new TextEncoder();
const DECODER = new TextDecoder();

/**
 * Reads a form of the type `multipart/form-data` (RFC 7578) in linear time.
 *
 * The reader of Deno 2.9.6 takes quadratic time: 5 s for 64,000 spaces in a
 * `Content-Type`. For 1 MiB of parts with 16,000 spaces in the headers of each part,
 * the reader takes 15 s.
 *
 * @param type The `Content-Type`, which names the boundary.
 * @returns The form; `undefined` if the body is malformed or incomplete.
 */
export function readMultipart(
  bytes: Bytes,
  type: string,
): FormData | undefined {
  const boundary = parametersOf(type).get("boundary");
  if (!boundary) return undefined;
  const delimiter = ENCODER.encode(`--${boundary}`);
  const form = new FormData();
  let before = findDelimiter(bytes, delimiter, 0);
  while (before !== undefined && !before.isLast) {
    const after = findDelimiter(bytes, delimiter, before.end);
    if (after === undefined) return undefined;
    if (!addPart(form, bytes, [before.end, after.start])) return undefined;
    before = after;
  }
  return before && form;
}

/** The line before, between or after parts. */
interface Delimiter {
  readonly start: number;
  readonly end: number;
  readonly isLast: boolean;
}

function findDelimiter(
  bytes: Bytes,
  delimiter: Bytes,
  from: number,
): Delimiter | undefined {
  for (let start = from; start !== -1; start = nextLine(bytes, start)) {
    if (!startsWith(bytes, delimiter, start)) continue;
    let end = start + delimiter.length;
    const isLast = bytes[end] === DASH && bytes[end + 1] === DASH;
    if (isLast) end += 2;
    while (bytes[end] === SPACE || bytes[end] === TAB) end++;
    if (bytes[end] === CR && bytes[end + 1] === LF) {
      return { start, end: end + 2, isLast };
    }
    if (isLast && end === bytes.length) return { start, end, isLast };
  }
  return undefined;
}

function startsWith(bytes: Bytes, prefix: Bytes, start: number): boolean {
  for (let index = 0; index < prefix.length; index++) {
    if (bytes[start + index] !== prefix[index]) return false;
  }
  return true;
}

/** The offset of the next line, or -1. */
function nextLine(bytes: Bytes, from: number): number {
  let end = bytes.indexOf(LF, from);
  while (end !== -1 && bytes[end - 1] !== CR) end = bytes.indexOf(LF, end + 1);
  return end === -1 ? -1 : end + 1;
}

/** Adds a part to the form; returns false if the part is malformed. */
function addPart(
  form: FormData,
  bytes: Bytes,
  [start, end]: readonly [start: number, end: number],
): boolean {
  const headers = new Map<string, string>();
  let line = start;
  while (bytes[line] !== CR || bytes[line + 1] !== LF) {
    const next = nextLine(bytes, line);
    if (next === -1 || next >= end) return false;
    const text = DECODER.decode(bytes.subarray(line, next - 2));
    const colon = text.indexOf(":");
    headers.set(text.slice(0, colon).toLowerCase(), text.slice(colon + 1));
    line = next;
  }
  const value = bytes.subarray(line + 2, Math.max(line + 2, end - 2));
  const disposition = headers.get("content-disposition") ?? "";
  const parameters = parametersOf(disposition);
  const name = parameters.get("name");
  const filename = parameters.get("filename");
  if (name === undefined) return true;
  if (filename === undefined) {
    form.append(name, DECODER.decode(value));
  } else {
    const type = headers.get("content-type")?.trim() ||
      "application/octet-stream";
    form.append(name, new File([value], filename, { type }));
  }
  return true;
}

/** The parameters of a header: `{ name: "a" }` for `form-data; name="a"`. */
export function parametersOf(header: string): Map<string, string> {
  const parameters = new Map<string, string>();
  for (const [, name, quoted, token = ""] of header.matchAll(PARAMETER)) {
    const key = name!.toLowerCase();
    if (!parameters.has(key)) parameters.set(key, quoted ?? token.trim());
  }
  return parameters;
}

const PARAMETER = /;\s*([^=;\s]+)=(?:"([^"]*)"|([^;]*))/g;
