import { isJson, isText, mediaType } from "../common/media_type.ts";
import { shorten } from "../common/values.ts";
import type { HttpError } from "../errors.ts";
import { ownError, wrongType } from "../own_errors.ts";
import { isForm, readForm } from "./form.ts";
import type { Coding } from "./inflate.ts";
import { type Bytes, headerOf, MALFORMED, parseBytes } from "./read.ts";
import {
  bodyOf,
  bytesOf,
  isAbsent,
  parseTaken,
  readJson,
  takeJsonText,
} from "./readers.ts";

/** A body as a value to validate or as a form, or the description of a malformed body. */
export type ParsedBody =
  | { readonly value: unknown }
  | { readonly form: FormData | URLSearchParams }
  | { readonly malformed: string };

/** The media types of bodies with a plain schema. */
export const READ_TYPES =
  "application/json, application/x-www-form-urlencoded, multipart/form-data";

/** The maximum length of a media type or encoding in a message. */
const MAX_NAME = 100;

type BodyKind = "json" | "form" | "text";

/**
 * Reads and parses a body according to its content type. Returns a promise only if the
 * body is still arriving, compressed or of another type. Most JSON bodies arrive
 * together with their headers.
 *
 * @param declared The accepted media types; by default, {@linkcode READ_TYPES} and a
 * missing type. The key `""` stands for a missing type, which is read as JSON.
 * @returns The value, which is `undefined` for an empty body, or a description of a
 * malformed body.
 * @throws {HttpError} 403, 413, or 415 for another content type or encoding.
 */
export function parseBody(
  request: Request,
  declared?: ReadonlyMap<string, unknown>,
): ParsedBody | Promise<ParsedBody> {
  const kind = bodyKind(request, declared);
  const text = kind === "json" ? takeJsonText(request) : undefined;
  return text === undefined
    ? parseLater(request, kind, declared)
    : parseJsonText(text, request);
}

/** Returns how to read a body; `undefined` for a content type that is not accepted. */
function bodyKind(
  request: Request,
  declared?: ReadonlyMap<string, unknown>,
): BodyKind | undefined {
  const type = headerOf(request, "content-type") ?? "";
  // Nearly all bodies have this type; parsing the type would cost time.
  if (declared === undefined && type === "application/json") return "json";
  const media = mediaType(type);
  const kind = kindOfType(media);
  const isRead = declared?.has(media) ??
    (kind === "form" || media === "application/json" || media === "");
  return isRead ? kind : undefined;
}

/**
 * How to read bodies of a media type, which has no parameters; `undefined` for types
 * that no schema can check.
 */
export function kindOfType(media: string): BodyKind | undefined {
  if (isForm(media)) return "form";
  if (media === "" || isJson(media)) return "json";
  return isText(media) ? "text" : undefined;
}

function parseJsonText(text: string, request: Request): ParsedBody {
  try {
    return { value: parseTaken(request, text) };
  } catch {
    return unparsed(request);
  }
}

async function parseLater(
  request: Request,
  kind: BodyKind | undefined,
  declared: ReadonlyMap<string, unknown> | undefined,
): Promise<ParsedBody> {
  let coding;
  try {
    if (kind === undefined) throw unreadType(request, declared);
    coding = codingOf(request);
  } catch (error) {
    if (await isAbsent(request)) return { value: undefined };
    throw error;
  }
  if (kind === "json" && coding === undefined) {
    try {
      return { value: await readJson(request) };
    } catch (error) {
      if (error instanceof SyntaxError) return unparsed(request);
      throw error;
    }
  }
  let bytes = await bytesOf(request);
  try {
    if (coding !== undefined && bytes.length > 0) {
      const { inflateBytes } = await import("./inflate.ts");
      const { limit } = bodyOf(request).rules;
      bytes = await inflateBytes(bytes, { coding, limit });
    }
    if (bytes.length === 0) return { value: undefined };
    return kind === "form"
      ? { form: readForm(bytes, headerOf(request, "content-type")!) }
      : { value: valueOf(kind, bytes) };
  } catch (error) {
    if (error instanceof SyntaxError) return { malformed: error.message };
    throw error;
  }
}

/** The error for a body of a type that is not read. */
function unreadType(
  request: Request,
  declared: ReadonlyMap<string, unknown> | undefined,
): HttpError {
  const type = mediaType(headerOf(request, "content-type"));
  const accepted = declared === undefined
    ? READ_TYPES
    : [...declared.keys()].filter(Boolean).join(", ");
  return wrongType("The body", shorten(type, MAX_NAME), accepted);
}

/** The result for a body that is not valid JSON, but empty or malformed. */
function unparsed(request: Request): ParsedBody {
  return bodyOf(request).isEmpty
    ? { value: undefined }
    : { malformed: MALFORMED.json };
}

/** @throws {SyntaxError} If the body is malformed, with the message for the client. */
function valueOf(kind: BodyKind | undefined, bytes: Bytes): unknown {
  if (kind === "text") return new TextDecoder().decode(bytes);
  try {
    return parseBytes(bytes);
  } catch {
    throw new SyntaxError(MALFORMED.json);
  }
}

/**
 * Returns the encoding of a body; `undefined` if the body is not encoded.
 *
 * @throws {HttpError} 415 for another encoding, or several, with the accepted encodings
 * (RFC 9110, 15.5.16).
 */
export function codingOf({ headers }: Request): Coding | undefined {
  const header = headers.get("content-encoding") || "identity";
  const coding = header.toLowerCase();
  if (coding === "identity") return undefined;
  if (coding === "gzip" || coding === "x-gzip") return "gzip";
  if (coding === "deflate") return "deflate";
  const found = shorten(header, MAX_NAME);
  const detail =
    `The body is encoded with "${found}"; send it with gzip or deflate, or unencoded`;
  throw ownError("UnsupportedMediaType", detail, {
    headers: { "accept-encoding": "gzip, deflate" },
  });
}

/** A form or a query as an object; the values of a repeated name are an array. */
export function valuesByName(
  entries: FormData | URLSearchParams,
): Record<string, unknown> {
  const values: Record<string, unknown> = Object.create(null);
  for (const [name, value] of entries) {
    const before = values[name];
    if (before === undefined) values[name] = value;
    else if (Array.isArray(before)) before.push(value);
    else values[name] = [before, value];
  }
  return values;
}
