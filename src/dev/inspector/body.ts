import { Buffer } from "node:buffer";
import {
  isJson,
  mediaType,
  MULTIPART,
  URLENCODED,
} from "../../core/common/media_type.ts";
import { decode, toBytes } from "../../core/request/content.ts";
import { readForm, valuesByName } from "../../core/request/form.ts";
import type { BodyContent } from "../../core/request/record.ts";
import { type Header, valueOf } from "./deno_inner.ts";
import type { EntryBody } from "./entry.ts";
import type { Secrets } from "./redact.ts";

/** The most bytes of a body, and characters of another text, that an entry shows. */
export const MAX_TEXT = 16 * 1024;

/**
 * Describes a body. Shows its text only if all of it is JSON or a form, since their names
 * find the secrets.
 *
 * @param content The body; `undefined` if it is unknown, or longer than an entry shows.
 * @param size The number of bytes; by default, that of the content or the header.
 */
export function entryBody(
  headers: readonly Header[],
  content: BodyContent | undefined,
  { secrets, size = sizeOf(headers, content) }: {
    readonly secrets: Secrets;
    readonly size?: number | undefined;
  },
): EntryBody | undefined {
  const isDeclared = valueOf(headers, "transfer-encoding") !== undefined;
  if (size === 0 || size === undefined && !isDeclared) return undefined;
  const header = valueOf(headers, "content-type") ?? "";
  const text = content === undefined || size! > MAX_TEXT
    ? undefined
    : shownText(content, header, secrets);
  return {
    type: mediaType(header),
    ...(size !== undefined && { size }),
    ...(text !== undefined && { text }),
  };
}

function sizeOf(
  headers: readonly Header[],
  content: BodyContent | undefined,
): number | undefined {
  if (content !== undefined) return Buffer.byteLength(content);
  const length = valueOf(headers, "content-length");
  return length === undefined ? undefined : Number(length);
}

function shownText(
  content: BodyContent,
  header: string,
  secrets: Secrets,
): string | undefined {
  const type = mediaType(header);
  try {
    if (isJson(type)) return secrets.json(decode(content));
    if (type === URLENCODED) return secrets.pairs(decode(content));
    if (type === MULTIPART) return secrets.json(multipartText(content, header));
  } catch {
    // The body is not UTF-8, or not a form.
  }
}

/** The fields of a form as JSON, with the names, types and sizes of its files. */
function multipartText(content: BodyContent, header: string): string {
  const fields = valuesByName(readForm(toBytes(content), header));
  return JSON.stringify(
    fields,
    (_, value) =>
      value instanceof File
        ? { file: value.name, type: value.type, size: value.size }
        : value,
  );
}
