import { HttpError } from "../errors.ts";
import { type Bytes, keepBody, MALFORMED, readFrom } from "./body.ts";

/** A body as a value to validate, or why it is none. */
export type ParsedBody =
  | { readonly value: unknown }
  | { readonly malformed: string };

const READ_TYPES =
  "application/json, application/x-www-form-urlencoded, multipart/form-data";

const UTF8 = new TextDecoder();

/**
 * Reads the body of a request by its content type: JSON, also where no type is
 * given, or a form. An empty body has the value `undefined`. The readers of the
 * request keep to its limit.
 *
 * @throws {HttpError} 415 for another content type or a compressed body, 413 for
 * too large a body.
 */
export async function parseBody(request: Request): Promise<ParsedBody> {
  const type = request.headers.get("content-type") ?? "";
  // Told apart by the one type that nearly all requests have.
  const kind = type === "application/json" ? "json" : kindOf(type);
  if (kind === undefined) {
    throw new HttpError(
      415,
      `The body is "${essence(type)}"; this route reads ${READ_TYPES}`,
      { headers: { accept: READ_TYPES } },
    );
  }
  const bytes = await request.bytes();
  keepBody(request, bytes);
  if (bytes.length === 0) return { value: undefined };
  try {
    return {
      value: kind === "json"
        ? JSON.parse(UTF8.decode(bytes))
        : await formValues(bytes, request),
    };
  } catch (error) {
    if (error instanceof HttpError) throw error;
    refuseEncoded(request);
    return { malformed: MALFORMED[kind] };
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

function kindOf(type: string): "json" | "formData" | undefined {
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

async function formValues(
  bytes: Bytes,
  request: Request,
): Promise<Record<string, unknown>> {
  // As names and values, anything would pass.
  refuseEncoded(request);
  return valuesByName(await readFrom(bytes, request, "formData"));
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
