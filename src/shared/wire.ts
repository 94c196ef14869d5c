import {
  isForm,
  isJson,
  isText,
  mediaType,
  MULTIPART,
  OCTET_STREAM,
  URLENCODED,
} from "../core/common/media_type.ts";
import { cookieValues } from "../core/request/form.ts";
import { contentFinder, READ_TYPES } from "../core/schema/declaration.ts";
import type { SchemaPart } from "../plumbing.ts";
import type { Operation } from "./types.ts";

/** The values of dynamic segments and of a wildcard. */
export interface Captures {
  /** The values of dynamic segments by name. */
  readonly params: Readonly<Record<string, string>>;
  readonly wildcard: readonly string[];
}

/**
 * Whether a path can carry the values of its segments. URLs resolve `.` and `..`, and
 * Bough cannot match an empty segment, NUL or a lone surrogate.
 */
export function isCarried({ params, wildcard }: Captures): boolean {
  return Object.values(params).every(isSegment) &&
    wildcard.every((entry) => isSegment(entry) && !/[/\\]/.test(entry));
}

function isSegment(text: string): boolean {
  return text !== "" && text !== "." && text !== ".." &&
    !text.includes("\0") && text.isWellFormed();
}

/** Whether headers carry these values unchanged: surrounding spaces would be lost. */
export function areHeaders(values: object): boolean {
  return Object.entries(values).every(([name, value]) =>
    /^[!#$%&'*+\-.^`|~\w]+$/.test(name) && typeof value === "string" &&
    /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(value)
  );
}

/** The value of a part as HTTP carries it: headers, cookies and queries are strings. */
export function asCarried(part: SchemaPart, value: unknown): unknown {
  if (part === "query") return grouped(entriesOf(value));
  if (part !== "headers" && part !== "cookies") return value;
  const sent = Object.entries(value as object)
    .filter(([, each]) => each !== undefined)
    .map(([name, each]) => [
      part === "headers" ? name.toLowerCase() : name,
      stringOf(each),
    ]);
  return Object.fromEntries(sent);
}

/** A header `Cookie` with further cookies; of several with one name, the first counts. */
export function cookieHeader(
  cookies: Readonly<Record<string, string>>,
  header?: string,
): string {
  const pairs = Object.entries(cookies).map(([name, value]) =>
    `${name}=${encodeURIComponent(value.toWellFormed())}`
  );
  return [header ?? [], pairs].flat().join("; ");
}

/** The cookies in a header by name, as a schema gets them. */
export function cookiesIn(header = ""): Readonly<Record<string, string>> {
  return cookieValues(header);
}

/** Converts objects to JSON, since an input may have a member `toString`. */
export function stringOf(value: unknown): string {
  const isObject = typeof value === "object" && value !== null;
  return (isObject ? JSON.stringify(value) : String(value)).toWellFormed();
}

export const JSON_TYPE = "application/json";

/** A media type of a range that no one declares: `application/x-other+json`. */
export function typeInRange(range: string): string {
  return range.replaceAll("*", "x-other");
}

const BOUNDARY = "bough-boundary";

const encoder = new TextEncoder();

/** The contents of files, because a `File` can be read only asynchronously. */
const fileContents = new WeakMap<File, string | Uint8Array>();

export function fileOf(text: string, type: string, name = "file.txt"): File {
  const file = new File([text], name, { type });
  fileContents.set(file, text);
  return file;
}

/** Reads the files of a form that {@linkcode fileOf} did not create. */
export async function readFiles(value: unknown): Promise<void> {
  for (const file of filesOf(value)) {
    if (fileContents.has(file)) continue;
    const bytes = await file.bytes();
    const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
    fileContents.set(file, text.includes("\ufffd") ? bytes : text);
  }
}

export interface BodyText {
  readonly text: string;
  readonly type: string;
  /** Whether each character is a byte, as for `btoa()`, since the bytes are not UTF-8. */
  readonly isBinary?: boolean;
}

export function bodyOf(value: unknown, type?: string): BodyText | undefined {
  if (value === undefined) return undefined;
  const sent = typeInRange(typeOf(value, type));
  if (value instanceof File) {
    return { ...joined([fileContents.get(value)!]), type: sent };
  }
  if (isText(sent)) return { text: stringOf(value), type: sent };
  if (sent !== MULTIPART && sent !== URLENCODED) {
    // Only files have other types, such as `image/png`.
    const type = isJson(sent) ? sent : JSON_TYPE;
    return { text: JSON.stringify(value), type };
  }
  const entries = entriesOf(value);
  if (sent === URLENCODED) {
    const strings = entries.map(([name, each]) => [name, String(each)]);
    return { text: `${new URLSearchParams(strings)}`, type: sent };
  }
  const parts = [...entries.flatMap(partOf), `--${BOUNDARY}--\r\n`];
  return { ...joined(parts), type: `${MULTIPART}; boundary=${BOUNDARY}` };
}

/** Joins strings and bytes. With bytes, each character of the text is a byte. */
function joined(
  parts: readonly (string | Uint8Array)[],
): Omit<BodyText, "type"> {
  const isBinary = parts.some((part) => typeof part !== "string");
  const strings = !isBinary ? parts : parts.flatMap((part) => {
    const bytes = typeof part === "string" ? encoder.encode(part) : part;
    return Array.from(bytes, (byte) => String.fromCharCode(byte));
  });
  return { text: strings.join(""), isBinary };
}

/** One part of a form that may have files: its head, its content and its end. */
function partOf([name, value]: Entry): (string | Uint8Array)[] {
  // The HTML Standard escapes names in this way.
  const quoted = (text: string) =>
    `"${text.replaceAll(/[\r\n"]/g, encodeURIComponent)}"`;
  const start = `--${BOUNDARY}\r\ncontent-disposition: form-data`;
  const head = `${start}; name=${quoted(name)}`;
  if (typeof value === "string") return [`${head}\r\n\r\n${value}\r\n`];
  const type = value.type || OCTET_STREAM;
  const more = `; filename=${quoted(value.name)}\r\ncontent-type: ${type}`;
  return [`${head}${more}\r\n\r\n`, fileContents.get(value)!, "\r\n"];
}

/**
 * The value that the schema of a body receives: of a form, an object of strings and
 * files, with an array for each repeated name.
 */
export function seenBody(value: unknown, type?: string): unknown {
  const sent = typeOf(value, type);
  if (value === undefined || isJson(sent) || value instanceof File) {
    return value;
  }
  // Readers drop a byte order mark.
  if (isText(sent)) return stringOf(value).replace(/^\ufeff/, "");
  const entries = entriesOf(value);
  // An empty urlencoded form has no bytes, so the body is missing.
  if (sent === URLENCODED && entries.length === 0) return undefined;
  return grouped(entries);
}

/** Whether a body is sent as a form. */
export function isFormBody(value: unknown, type?: string): boolean {
  return isForm(typeOf(value, type));
}

/** The media type with which to send a value. A file requires a multipart form. */
function typeOf(value: unknown, type = JSON_TYPE): string {
  if (value instanceof File) return value.type;
  return filesOf(value).length > 0 ? MULTIPART : type;
}

/** The media types that a route reads. */
export function readTypes({ requestBody }: Operation): readonly string[] {
  const { content = {}, "x-declared-types": isDeclared } = requestBody ?? {};
  const types = Object.keys(content).map(mediaType);
  // Only a streamed form has the types of its files.
  const isPlain = content[MULTIPART]?.encoding === undefined &&
    types.every((type) => READ_TYPES.includes(type));
  return isPlain && !isDeclared ? READ_TYPES : types;
}

/** Finds the media type or the range of a route that reads bodies of a type. */
export function readerOf(
  operation: Operation,
  type: string,
): string | undefined {
  const types = readTypes(operation).map((mediaType) => ({ mediaType }));
  return contentFinder(types)(type)?.mediaType;
}

/** The files of a body. */
export function filesOf(value: unknown): File[] {
  if (value instanceof File) return [value];
  return typeof value === "object" && value !== null
    ? Object.values(value).flat().filter((each) => each instanceof File)
    : [];
}

type Entry = readonly [name: string, value: string | File];

function entriesOf(value: unknown): Entry[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, each]) =>
    [each].flat().filter((one) => one !== undefined).map((one): Entry => [
      name.toWellFormed(),
      one instanceof File ? one : stringOf(one),
    ])
  );
}

/** An object with an array for each repeated name. */
function grouped(entries: readonly Entry[]): object {
  return Object.fromEntries(
    Map.groupBy(entries, ([name]) => name).entries().map(([name, all]) => {
      const values = all.map(([, each]) => each);
      return [name, values.length === 1 ? values[0] : values];
    }),
  );
}
