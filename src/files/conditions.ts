import { HttpError } from "../core/errors.ts";
import { isCacheable } from "../core/methods.ts";
import { notModified } from "../protect/preconditions.ts";

/**
 * The response to a conditional request whose client has the current version (RFC 9110,
 * section 13.2.2); `undefined` if the client needs the file.
 *
 * @param version The headers `ETag` and `Last-Modified` of the current version, and those
 * of a 304.
 * @throws {HttpError} 412 if the client wants another version, 431 for a long list.
 */
export function unchanged(
  request: Request,
  version: Headers,
): Response | undefined {
  if (!isCacheable(request.method)) return undefined;
  const { headers } = request;
  const etag = version.get("etag");
  const changed = timeOf(version, "last-modified");
  if (
    !headers.has("if-match") && changed > timeOf(headers, "if-unmodified-since")
  ) {
    throw new HttpError(412, "The file has changed; get the current version");
  }
  if (etag !== null) {
    const copy = notModified(request, etag, version);
    if (copy !== undefined) return copy;
  }
  return !headers.has("if-none-match") &&
      changed <= timeOf(headers, "if-modified-since")
    ? new Response(null, { status: 304, headers: version })
    : undefined;
}

/**
 * The range of bytes that a request asks for, as its first position and the position
 * after its last; `undefined` for the whole file.
 *
 * Several ranges and malformed ones are ignored (RFC 9110, section 14.2), as is a range of
 * another version (section 13.1.5).
 *
 * @throws {HttpError} 416 if the range is beyond the end of the file.
 */
export function rangeOf(
  { method, headers }: Request,
  version: Headers,
  size: number,
): readonly [start: number, end: number] | undefined {
  const [, first = "", last = ""] =
    /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i.exec(headers.get("range") ?? "") ?? [];
  const isValid = first === "" ? last !== "" : last === "" ||
    Number(first) <= Number(last);
  const isWhole = method !== "GET" || size === 0 || !isValid ||
    !isCurrent(headers.get("if-range"), version);
  if (isWhole) return undefined;
  const start = first === "" ? Math.max(0, size - Number(last)) : Number(first);
  if (start >= size) {
    throw new HttpError(416, "The range is beyond the end of the file", {
      headers: { "content-range": `bytes */${size}` },
    });
  }
  const isOpen = first === "" || last === "";
  return [start, isOpen ? size : Math.min(size, Number(last) + 1)];
}

/** Whether `If-Range` names the current version, by strong comparison. */
function isCurrent(condition: string | null, version: Headers): boolean {
  const etag = version.get("etag");
  const date = version.get("last-modified");
  if (condition === null) return true;
  // The time of a change is a strong validator a second later (section 8.8.2.2).
  return condition === etag && !etag.startsWith("W/") ||
    condition === date && Date.now() - Date.parse(date) >= 2_000;
}

/** Matches the form of `asctime()`: `Sun Nov  6 08:49:37 1994`. */
const ASCTIME =
  /^([A-Z][a-z]{2}) ([A-Z][a-z]{2}) ([ \d]\d) ([\d:]{8}) (\d{4})$/;
/** Matches the other two forms of a time in HTTP (RFC 9110, section 5.6.7). */
const TIME =
  /^[A-Z][a-z]+, ([ \d]\d)[ -]([A-Z][a-z]{2})[ -](\d\d(?:\d\d)?) ([\d:]{8}) GMT$/;

/** The time that a header names, in milliseconds; `NaN` if it names none. */
function timeOf(headers: Headers, name: string): number {
  const text = headers.get(name) ?? "";
  const [, day, month, year, time] =
    TIME.exec(text.replace(ASCTIME, "$1, $3 $2 $5 $4 GMT")) ?? [];
  const date = new Date(`${day} ${month} ${year} ${time} GMT`);
  const age = new Date().getUTCFullYear() - date.getUTCFullYear();
  // Two digits mean a year at most 50 years from now.
  if (year?.length === 2 && age > 50) {
    date.setUTCFullYear(date.getUTCFullYear() + 100);
  }
  // `Date` reads 31 February as a day of March.
  return date.getUTCDate() === Number(day) ? date.getTime() : NaN;
}
