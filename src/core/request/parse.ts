import { kindOfType } from "../common/media_type.ts";
import { shorten } from "../common/values.ts";
import type { HttpError } from "../errors.ts";
import { ownError, wrongType } from "../own_errors.ts";
import type { BodyType } from "./record.ts";
import { readForm } from "./form.ts";
import type { Coding } from "./inflate.ts";
import { decodeBytes, parseJson } from "./read.ts";
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

/** The maximum length of a media type or encoding in a message. */
const MAX_NAME = 100;

/**
 * Reads and parses a body according to its content type. Returns a promise only if the
 * body is still arriving, compressed or of another type. Most JSON bodies arrive
 * together with their headers.
 *
 * @param fault The error for the type, which an empty body does not get.
 * @returns The value, which is `undefined` for an empty body, or a description of a
 * malformed body.
 * @throws {HttpError} 403, 413, or 415 for another type, charset or encoding.
 */
export function parseBody(
  request: Request,
  type: BodyType,
  fault?: HttpError,
): ParsedBody | Promise<ParsedBody> {
  const text = fault === undefined && kindOfType(type.media) === "json"
    ? takeJsonText(request)
    : undefined;
  if (text === undefined) return parseLater(request, type, fault);
  try {
    return { value: parseTaken(request, text) };
  } catch (error) {
    return unparsed(request, error);
  }
}

async function parseLater(
  request: Request,
  type: BodyType,
  fault: HttpError | undefined,
): Promise<ParsedBody> {
  let coding;
  try {
    if (fault !== undefined) throw fault;
    coding = codingOf(request);
  } catch (error) {
    if (await isAbsent(request)) return { value: undefined };
    throw error;
  }
  const kind = kindOfType(type.media);
  try {
    if (kind === "json" && coding === undefined) {
      return { value: await readJson(request) };
    }
    let bytes = await bytesOf(request);
    if (coding !== undefined && bytes.length > 0) {
      const { inflateBytes } = await import("./inflate.ts");
      const { limit } = bodyOf(request).rules;
      bytes = await inflateBytes(bytes, { coding, limit });
    }
    if (bytes.length === 0 && kind !== "text") return { value: undefined };
    if (kind === "form") return { form: readForm(bytes, type.header) };
    const text = decodeBytes(bytes);
    return { value: kind === "text" ? text : parseJson(text) };
  } catch (error) {
    return unparsed(request, error);
  }
}

/**
 * The error for a body of a type that a method does not read, or in another charset.
 *
 * @param found The declared type of the body, if the method reads the body.
 */
export function typeFault(
  { media, charset }: BodyType,
  found: string | undefined,
  accepted: readonly string[],
): HttpError | undefined {
  if (found !== undefined && charset === undefined) return undefined;
  const [type, accept] = found === undefined
    ? [media, accepted.join(", ")]
    : [`${media}; charset=${charset}`, `${found}; charset=utf-8`];
  return wrongType("The body", shorten(type, MAX_NAME), accept);
}

/** The result for a body that is empty or malformed; throws any other error. */
function unparsed(request: Request, error: unknown): ParsedBody {
  if (bodyOf(request).isEmpty) return { value: undefined };
  if (error instanceof SyntaxError) return { malformed: error.message };
  throw error;
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
