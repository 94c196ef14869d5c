import { HttpError } from "../errors.ts";
import { MALFORMED } from "./body/client_fault.ts";
import { type Bytes, parseJson } from "./body/read.ts";
import { formOf, type WholeBody } from "./body/readers.ts";

/** A body as a value to validate, or why it is none. */
export type ParsedBody =
  | { readonly value: unknown }
  | { readonly malformed: string };

const READ_TYPES =
  "application/json, application/x-www-form-urlencoded, multipart/form-data";

/** The ways to read a body. */
export type BodyKind = "json" | "formData";

/**
 * How the body of a request is to be read, by its content type: as JSON, also
 * where no type is given, or as a form.
 *
 * @throws {HttpError} 415 for another content type.
 */
export function bodyKind(request: Request): BodyKind {
  const type = request.headers.get("content-type") ?? "";
  // Told apart by the one type that nearly all requests have.
  const kind = type === "application/json" ? "json" : kindOf(type);
  if (kind !== undefined) return kind;
  throw new HttpError(
    415,
    `The body is "${essence(type)}"; this route reads ${READ_TYPES}`,
    { headers: { accept: READ_TYPES } },
  );
}

/**
 * Makes a value of a body. That of an empty one is `undefined`. A promise is worth
 * its cost for forms only, and where middleware has read the body before.
 *
 * @throws {HttpError} 415 for a compressed body.
 */
export function parseBody(
  body: WholeBody,
  kind: BodyKind,
  request: Request,
): ParsedBody | Promise<ParsedBody> {
  if ("json" in body) return parsedBefore(body.json, request);
  const { bytes } = body;
  if (bytes.length === 0) return { value: undefined };
  if (kind === "formData") return parseForm(bytes, request);
  try {
    return { value: parseJson(bytes) };
  } catch {
    return malformedJson(request);
  }
}

async function parsedBefore(
  json: Promise<unknown>,
  request: Request,
): Promise<ParsedBody> {
  try {
    return { value: await json };
  } catch (error) {
    if (error instanceof SyntaxError) return malformedJson(request);
    throw error;
  }
}

function malformedJson(request: Request): ParsedBody {
  refuseEncoded(request);
  return { malformed: MALFORMED.json };
}

async function parseForm(bytes: Bytes, request: Request): Promise<ParsedBody> {
  // As names and values, anything would pass.
  refuseEncoded(request);
  try {
    const form = await formOf(bytes, request);
    return { value: valuesByName(form) };
  } catch {
    return { malformed: MALFORMED.formData };
  }
}

/**
 * Refuses a compressed body, which nothing here unpacks: a few bytes could become
 * gigabytes. Since compressed JSON never parses, the header is looked at only
 * once parsing has failed.
 *
 * @throws {HttpError} 415, with what is accepted (RFC 9110, 15.5.16).
 */
function refuseEncoded(request: Request): void {
  const encoding = request.headers.get("content-encoding") ?? "identity";
  if (encoding.toLowerCase() === "identity") return;
  throw new HttpError(
    415,
    `The body is encoded with "${encoding}"; send it as it is`,
    { headers: { "accept-encoding": "identity" } },
  );
}

/** The media type of a `Content-Type`, without its parameters. */
function essence(type: string): string {
  return type.split(";", 1)[0]!.trim().toLowerCase();
}

function kindOf(type: string): BodyKind | undefined {
  switch (essence(type)) {
    case "":
    case "application/json":
      return "json";
    case "application/x-www-form-urlencoded":
    case "multipart/form-data":
      return "formData";
    default:
      return /^[^/]+\/[^/]+\+json$/.test(essence(type)) ? "json" : undefined;
  }
}

/** A form or a query as an object; a name that is repeated becomes an array. */
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
