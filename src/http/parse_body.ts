import { HttpError } from "../errors.ts";
import { type Bytes, MALFORMED } from "./body.ts";
import { readMultipart } from "./multipart.ts";
import { shorten } from "./shorten.ts";

/** A body as a value to validate, or why it is none. */
export type ParsedBody =
  | { readonly value: unknown }
  | { readonly malformed: string };

const READ_TYPES =
  "application/json, application/x-www-form-urlencoded, multipart/form-data";

/** As much as is repeated of a media type or an encoding. */
const MAX_NAME = 100;

const UTF8 = new TextDecoder();

/** The ways to read a body. */
export type BodyKind = "json" | "urlencoded" | "multipart";

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
    `The body is "${
      shorten(essence(type), MAX_NAME)
    }"; this route reads ${READ_TYPES}`,
    { headers: { accept: READ_TYPES } },
  );
}

/**
 * Makes a value of the bytes of a body. Those of an empty one are `undefined`.
 *
 * @throws {HttpError} 415 for a compressed body.
 */
export function parseBody(
  bytes: Bytes,
  kind: BodyKind,
  request: Request,
): ParsedBody {
  if (bytes.length === 0) return { value: undefined };
  if (kind !== "json") return parseForm(bytes, kind, request);
  try {
    return { value: JSON.parse(UTF8.decode(bytes)) };
  } catch {
    refuseEncoded(request);
    return { malformed: MALFORMED.json };
  }
}

function parseForm(
  bytes: Bytes,
  kind: Exclude<BodyKind, "json">,
  request: Request,
): ParsedBody {
  // As names and values, anything would pass.
  refuseEncoded(request);
  const form = kind === "multipart"
    ? readMultipart(bytes, request.headers.get("content-type")!)
    // The first "?" would be taken for that of a query.
    : new URLSearchParams("&" + UTF8.decode(bytes));
  return form === undefined
    ? { malformed: MALFORMED.formData }
    : { value: valuesByName(form) };
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
    `The body is encoded with "${
      shorten(encoding, MAX_NAME)
    }"; send it as it is`,
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
      return "urlencoded";
    case "multipart/form-data":
      return "multipart";
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
