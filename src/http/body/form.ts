import { readMultipart } from "./multipart.ts";
import type { Bytes } from "./read.ts";

/** The media type of a `Content-Type`, without its parameters. */
export function mediaType(type: string): string {
  return type.split(";", 1)[0]!.trim().toLowerCase();
}

export function isForm(type: string): boolean {
  const media = mediaType(type);
  return media === "application/x-www-form-urlencoded" ||
    media === "multipart/form-data";
}

/**
 * Reads bytes as a form. It takes linear time, unlike Deno's own reader.
 *
 * @returns The form; `undefined` if the type is not that of a form, or the bytes
 * are malformed.
 */
export function readForm(
  bytes: Bytes,
  type: string,
): FormData | URLSearchParams | undefined {
  if (!isForm(type)) return undefined;
  return mediaType(type) === "multipart/form-data"
    ? readMultipart(bytes, type)
    // Without the "&", a "?" at the start would be removed as that of a query.
    : new URLSearchParams("&" + new TextDecoder().decode(bytes));
}
