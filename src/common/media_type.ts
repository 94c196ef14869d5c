/** A media type or a range of them, such as `image/*` (RFC 9110, section 8.3.1). */
export const MEDIA_TYPE =
  /^[!#$%&'*+.^_`|~\w-]+\/[!#$%&'*+.^_`|~\w-]+(?:[\t ]*;.*)?$/;

/**
 * The media type in a `Content-Type`, in lowercase and without parameters:
 * `text/csv; charset=utf-8` is `text/csv`. Without a header, it is `""`.
 */
export function mediaType(contentType: string | null): string {
  return (contentType ?? "").split(";", 1)[0]!.trim().toLowerCase();
}

/** Whether a media type is JSON: `application/json`, or one that ends in `+json`. */
export function isJson(type: string): boolean {
  return type === "application/json" || /^[^/]+\/[^/]+\+json$/.test(type);
}

/** Whether a media type is text that ends: a stream of events may never do so. */
export function isText(type: string): boolean {
  return type.startsWith("text/") && type !== "text/event-stream";
}

/** Whether a media type is a given one, or in a range such as `image/*`. */
export function isInRange(type: string, range: string): boolean {
  if (range === "*/*") return type !== "";
  return range.endsWith("/*")
    ? type.startsWith(range.slice(0, -1))
    : type === range;
}
