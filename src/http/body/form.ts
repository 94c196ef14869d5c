import { readMultipart } from "./multipart.ts";
import type { Bytes } from "./read.ts";

/** The media type of a `Content-Type`, without its parameters. */
export function mediaType(type: string): string {
  return type.split(";", 1)[0]!.trim().toLowerCase();
}

/** Whether a `Content-Type` is that of a form. */
export function isForm(type: string): boolean {
  const media = mediaType(type);
  return media === "application/x-www-form-urlencoded" ||
    media === "multipart/form-data";
}

/**
 * Reads bytes as a form of a content type, in linear time, which Deno's own reader
 * does not.
 *
 * @returns The form; nothing if the bytes are none, or the type is another one.
 */
export function readForm(
  bytes: Bytes,
  type: string,
): FormData | URLSearchParams | undefined {
  if (!isForm(type)) return undefined;
  return mediaType(type) === "multipart/form-data"
    ? readMultipart(bytes, type)
    // Without the "&", a first "?" would be taken for that of a query.
    : new URLSearchParams("&" + new TextDecoder().decode(bytes));
}
