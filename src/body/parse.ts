import { isJson, mediaType } from "../common/media_type.ts";
import { shorten } from "../common/values.ts";
import { HttpError } from "../errors.ts";
import { isForm, readForm } from "./form.ts";
import { type Bytes, headerOf, MALFORMED } from "./read.ts";
import {
  bytesOf,
  isEmptyBody,
  parseTaken,
  readJson,
  takeJsonText,
} from "./readers.ts";

/** A body as a value to validate, or what is malformed in it. */
export type ParsedBody =
  | { readonly value: unknown }
  | { readonly malformed: string };

/** The media types that a body with a schema may have, beside those that end in `+json`. */
export const READ_TYPES =
  "application/json, application/x-www-form-urlencoded, multipart/form-data";

/** How many characters of a media type or encoding a message repeats. */
const MAX_NAME = 100;

type BodyKind = "json" | "form";

/**
 * Reads and parses a body, by its content type. It returns a promise only if the body
 * must be awaited: most JSON bodies have arrived with the head of their request.
 *
 * @returns The value, which is `undefined` for an empty body, or what is malformed.
 * @throws {HttpError} 403, 413, or 415 for another content type or a compressed body.
 */
export function parseBody(request: Request): ParsedBody | Promise<ParsedBody> {
  const kind = bodyKind(request);
  const text = kind === "json" ? takeJsonText(request) : undefined;
  return text === undefined
    ? parseLater(request, kind)
    : parseJsonText(text, request);
}

/** Finds by the content type how to read a body: as a form, or else as JSON. */
function bodyKind(request: Request): BodyKind {
  const type = headerOf(request, "content-type") ?? "";
  // The type of nearly all requests; to parse it would cost time.
  const kind = type === "application/json" ? "json" : kindOfType(type);
  if (kind !== undefined) return kind;
  const found = shorten(mediaType(type), MAX_NAME);
  const detail = `The body is "${found}"; this route reads ${READ_TYPES}`;
  throw new HttpError(415, detail, { headers: { accept: READ_TYPES } });
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

/** What a body is that is not valid JSON: empty, compressed or malformed. */
function unparsed(request: Request): ParsedBody {
  if (isEmptyBody(request)) return { value: undefined };
  refuseEncoded(request);
  return { malformed: MALFORMED.json };
}

function parseForm(bytes: Bytes, request: Request): ParsedBody {
  // A compressed form would not fail: any bytes are names and values.
  refuseEncoded(request);
  const form = readForm(bytes, headerOf(request, "content-type")!);
  return form === undefined
    ? { malformed: MALFORMED.formData }
    : { value: valuesByName(form) };
}

/**
 * Refuses a compressed body. Bough does not unpack it, since a few bytes could
 * become gigabytes. Compressed JSON never parses, so for JSON the header is read
 * only after parsing has failed.
 *
 * @throws {HttpError} 415, with what is accepted (RFC 9110, 15.5.16).
 */
function refuseEncoded(request: Request): void {
  const encoding = request.headers.get("content-encoding") ?? "identity";
  if (encoding.toLowerCase() === "identity") return;
  const found = shorten(encoding, MAX_NAME);
  const detail = `The body is encoded with "${found}"; send it as it is`;
  const headers = { "accept-encoding": "identity" };
  throw new HttpError(415, detail, { headers });
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
