import { isJson, mediaType } from "../common/media_type.ts";
import { shorten } from "../common/values.ts";
import { ownError, wrongType } from "../own_errors.ts";
import { isForm, readForm } from "./form.ts";
import { type Bytes, headerOf, MALFORMED } from "./read.ts";
import {
  bytesOf,
  isEmptyBody,
  parseTaken,
  readJson,
  takeJsonText,
} from "./readers.ts";

/** A body as a value to validate, or the description of a malformed body. */
export type ParsedBody =
  | { readonly value: unknown }
  | { readonly malformed: string };

/** The media types of bodies with a schema, except types that end in `+json`. */
export const READ_TYPES =
  "application/json, application/x-www-form-urlencoded, multipart/form-data";

/** The maximum length of a media type or encoding in a message. */
const MAX_NAME = 100;

type BodyKind = "json" | "form";

/**
 * Reads and parses a body according to its content type. Returns a promise only if the
 * body is still arriving. Most JSON bodies arrive together with their headers.
 *
 * @returns The value, which is `undefined` for an empty body, or a description of a
 * malformed body.
 * @throws {HttpError} 403, 413, or 415 for another content type or a compressed body.
 */
export function parseBody(request: Request): ParsedBody | Promise<ParsedBody> {
  const kind = bodyKind(request);
  const text = kind === "json" ? takeJsonText(request) : undefined;
  return text === undefined
    ? parseLater(request, kind)
    : parseJsonText(text, request);
}

/** Returns whether to read a body as a form or as JSON, by its content type. */
function bodyKind(request: Request): BodyKind {
  const type = headerOf(request, "content-type") ?? "";
  // Nearly all bodies have this type; parsing the type would cost time.
  const kind = type === "application/json" ? "json" : kindOfType(type);
  if (kind !== undefined) return kind;
  const found = shorten(mediaType(type), MAX_NAME);
  throw wrongType("The body", found, READ_TYPES);
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
  kind: BodyKind,
): Promise<ParsedBody> {
  if (kind === "form") {
    const bytes = await bytesOf(request);
    return bytes.length === 0
      ? { value: undefined }
      : parseForm(bytes, request);
  }
  try {
    return { value: await readJson(request) };
  } catch (error) {
    if (error instanceof SyntaxError) return unparsed(request);
    throw error;
  }
}

/** The result for a body that is not valid JSON, but empty, compressed or malformed. */
function unparsed(request: Request): ParsedBody {
  if (isEmptyBody(request)) return { value: undefined };
  refuseEncoded(request);
  return { malformed: MALFORMED.json };
}

function parseForm(bytes: Bytes, request: Request): ParsedBody {
  // Reject a compressed form now. Its bytes would parse as a form, since all bytes are
  // valid in names and values.
  refuseEncoded(request);
  try {
    const form = readForm(bytes, headerOf(request, "content-type")!);
    return { value: valuesByName(form) };
  } catch (error) {
    return { malformed: (error as SyntaxError).message };
  }
}

/**
 * Rejects a compressed body. Bough does not decompress it, since a few bytes could
 * become gigabytes. Compressed JSON is never valid JSON, so for JSON the header is read
 * only after parsing has failed.
 *
 * @throws {HttpError} 415, with the accepted encoding (RFC 9110, 15.5.16).
 */
export function refuseEncoded(request: Request): void {
  const encoding = request.headers.get("content-encoding") ?? "identity";
  if (encoding.toLowerCase() === "identity") return;
  const found = shorten(encoding, MAX_NAME);
  const detail = `The body is encoded with "${found}"; send it unencoded`;
  const headers = { "accept-encoding": "identity" };
  throw ownError("UnsupportedMediaType", detail, { headers });
}

function kindOfType(type: string): BodyKind | undefined {
  if (isForm(type)) return "form";
  const media = mediaType(type);
  return media === "" || isJson(media) ? "json" : undefined;
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
