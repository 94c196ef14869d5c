/**
 * Matches a media type, or a range such as `image/*` (RFC 9110, section 8.3.1).
 * Parameters are ASCII, since a header cannot contain every other character.
 */
export const MEDIA_TYPE =
  /^[!#$%&'*+.^_`|~\w-]+\/[!#$%&'*+.^_`|~\w-]+(?:[\t ]*;[\t -~]*)?$/;

/** The media type of bytes without a type (RFC 9110, 8.3). */
export const OCTET_STREAM = "application/octet-stream";

/**
 * Returns the media type of a `Content-Type`, in lowercase and without parameters:
 * `text/csv` for `text/csv; charset=utf-8`. Returns `""` if there is no header.
 */
export function mediaType(contentType: string | null): string {
  return (contentType ?? "").split(";", 1)[0]!.trim().toLowerCase();
}

/** Whether a media type is JSON: `application/json`, or a type that ends in `+json`. */
export function isJson(type: string): boolean {
  return type === "application/json" || /^[^/]+\/[^/]+\+json$/.test(type);
}

/** Whether a media type is finite text, unlike an event stream, which may never end. */
export function isText(type: string): boolean {
  return type.startsWith("text/") && type !== "text/event-stream";
}

/** Whether Bough checks bodies of a media type by a schema: JSON or finite text. */
export function isJsonOrText(type: string): boolean {
  return isJson(type) || isText(type);
}

/**
 * Whether a media type equals another media type, or matches a range such as `image/*`.
 */
export function isInRange(type: string, range: string): boolean {
  if (range === "*/*") return type !== "";
  return range.endsWith("/*")
    ? type.startsWith(range.slice(0, -1))
    : type === range;
}
