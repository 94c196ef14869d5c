import { isJson, isText, mediaType } from "../common/media_type.ts";
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

/** The media types of bodies with a plain schema. */
export const READ_TYPES =
  "application/json, application/x-www-form-urlencoded, multipart/form-data";

/** The maximum length of a media type or encoding in a message. */
const MAX_NAME = 100;

type BodyKind = "json" | "form" | "text";

/**
 * Reads and parses a body according to its content type. Returns a promise only if the
 * body is still arriving. Most JSON bodies arrive together with their headers.
 *
 * @param declared The accepted media types; by default, {@linkcode READ_TYPES} and a
 * missing type. The key `""` stands for a missing type, which is read as JSON.
 * @returns The value, which is `undefined` for an empty body, or a description of a
 * malformed body.
 * @throws {HttpError} 403, 413, or 415 for another content type or a compressed body.
 */
export function parseBody(
  request: Request,
  declared?: ReadonlyMap<string, unknown>,
): ParsedBody | Promise<ParsedBody> {
  const kind = bodyKind(request, declared);
  const text = kind === "json" ? takeJsonText(request) : undefined;
  return text === undefined
    ? parseLater(request, kind)
    : parseJsonText(text, request);
}

/** Returns how to read a body, by its content type. */
function bodyKind(
  request: Request,
  declared?: ReadonlyMap<string, unknown>,
): BodyKind {
  const type = headerOf(request, "content-type") ?? "";
  // Nearly all bodies have this type; parsing the type would cost time.
  if (declared === undefined && type === "application/json") return "json";
  const media = mediaType(type);
  const kind = kindOfType(media);
  const isRead = declared?.has(media) ??
    (kind === "form" || media === "application/json" || media === "");
  if (kind !== undefined && isRead) return kind;
  const accepted = declared === undefined
    ? READ_TYPES
    : [...declared.keys()].filter(Boolean).join(", ");
  throw wrongType("The body", shorten(media, MAX_NAME), accepted);
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
  kind: BodyKind,
): Promise<ParsedBody> {
  if (kind !== "json") {
    const bytes = await bytesOf(request);
    if (bytes.length === 0) return { value: undefined };
    // Reject a compressed form or text now, since all its bytes are valid in a value.
    refuseEncoded(request);
    return kind === "form"
      ? parseForm(bytes, request)
      : { value: new TextDecoder().decode(bytes) };
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
