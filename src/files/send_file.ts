import { contentType } from "@std/media-types/content-type";
import {
  checkOptions,
  HEADERS,
  matching,
  type Members,
  NAME,
} from "../core/common/forms.ts";
import { MEDIA_TYPE, OCTET_STREAM } from "../core/common/media_type.ts";
import { content } from "../core/schema/content.ts";
import { Problem } from "../core/schema/problem.ts";
import type { Content, StandardSchemaV1 } from "../core/types/schema.ts";
import { headerSchema } from "../protect/common.ts";
import { rangeOf, unchanged } from "./conditions.ts";
import { type FileSource, open } from "./source.ts";

/** Options of {@linkcode sendFile}. */
export interface SendFileOptions {
  /**
   * The name under which browsers save the file, in any script: `"Übersicht.pdf"`. By
   * default, browsers show the file.
   */
  readonly download?: string;
  /**
   * The media type, such as `"application/pdf"`.
   *
   * @default {the type of the extension of `download`, or of the path}
   */
  readonly type?: string;
  /**
   * The tag of this version, with its quotation marks: `'"7"'`.
   *
   * @default {the time of the last change and the size of the file; none for bytes}
   */
  readonly etag?: string;
  /**
   * The time of the last change.
   *
   * @default {the time of the file; none for bytes}
   */
  readonly lastModified?: Date;
  /** Further headers, which replace those of Bough, such as `cache-control`. */
  readonly headers?: HeadersInit;
}

/**
 * Sends a file, or a part of it, to a `GET` or a `HEAD`. Conditional requests are
 * answered by the `ETag` and `Last-Modified` (RFC 9110, section 13): with 304 or 412.
 * One range gets 206, or 416 if it is beyond the end; several ranges get the whole file,
 * as RFC 9110, section 14.2, allows. Another method gets the whole file with 200.
 *
 * By default, browsers ask for the current version each time (`Cache-Control: no-cache`),
 * and do not guess another type (`X-Content-Type-Options: nosniff`).
 *
 * Never join a path from text of a request: for files below a folder, use
 * {@linkcode files}, which never leaves the folder.
 *
 * @param request The request.
 * @param source What to send.
 * @param options The name, the type and the version of the file.
 * @returns The response, which closes the file when it is sent or the client leaves.
 * @throws {HttpError} 404 if the path leads to no file. 412 if the client wants another
 * version, 416 for a range beyond the end, 431 for a list of tags that is too long.
 * @throws {TypeError} If an option is unknown or invalid.
 *
 * @example Usage
 * ```ts
 * import type { FrameworkRequest } from "@bough/framework";
 * import { fileResponses, sendFile } from "@bough/framework/files";
 *
 * export const schema = {
 *   get: { response: fileResponses("application/pdf") },
 * };
 *
 * export function GET(request: FrameworkRequest): Promise<Response> {
 *   return sendFile(request, "reports/2026.pdf", { download: "Report 2026.pdf" });
 * }
 * ```
 */
export async function sendFile(
  request: Request,
  source: FileSource,
  options: SendFileOptions = {},
): Promise<Response> {
  checkOptions("send a file", options, OPTIONS);
  const { download, type, headers = [] } = options;
  using file = await open(source);
  const { size, etag, lastModified } = { ...file, ...options };
  const shared = new Headers({
    "accept-ranges": "bytes",
    "cache-control": "no-cache",
    "x-content-type-options": "nosniff",
    ...(etag !== undefined && { etag }),
    ...(lastModified && { "last-modified": lastModified.toUTCString() }),
  });
  new Headers(headers).forEach((value, name) => shared.set(name, value));
  const copy = unchanged(request, shared);
  if (copy !== undefined) return copy;

  const part = rangeOf(request, shared, size);
  const [start, end] = part ?? [0, size];
  const response = new Response(
    request.method === "HEAD" ? null : await file.read(start, end),
    { status: part ? 206 : 200, headers: shared },
  );
  const own = {
    "content-type": type ?? typeOf(download ?? file.name),
    "content-length": String(end - start),
    ...(download !== undefined &&
      { "content-disposition": attachment(download) }),
    ...(part && { "content-range": `bytes ${start}-${end - 1}/${size}` }),
  };
  for (const [name, value] of Object.entries(own)) {
    if (!response.headers.has(name)) response.headers.set(name, value);
  }
  return response;
}

const OPTIONS: Members<keyof SendFileOptions> = {
  download: NAME,
  type: matching(MEDIA_TYPE, 'must be a media type, such as "text/csv"'),
  etag: NAME,
  lastModified: {
    accepts: (value) => value instanceof Date && !isNaN(value.getTime()),
    expected: "must be a valid Date",
  },
  headers: HEADERS,
};

/** The media type of a file, by the extension of its name. */
export function typeOf(name: string): string {
  const [extension = ""] = /\.[^./\\]+$/.exec(name) ?? [];
  return contentType(extension) ?? OCTET_STREAM;
}

/**
 * The value of `Content-Disposition` for a download: a name in ASCII, and if it differs,
 * the name itself in UTF-8 (RFC 6266, section 4.3; RFC 8187, section 3.2).
 */
function attachment(download: string): string {
  const name = download.toWellFormed().replace(/[/\\\p{Cc}]/gu, "_");
  // Browsers decode percent escapes even here (RFC 6266, appendix D).
  const plain = name.replace(/[^ -~]|["%]/gu, "_");
  if (plain === name) return `attachment; filename="${name}"`;
  const encoded = encodeURIComponent(name)
    .replace(/['()*]/g, (each) => `%${each.charCodeAt(0).toString(16)}`);
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}

/**
 * The responses of {@linkcode sendFile}, by status.
 *
 * @typeParam MediaType The media type of the file.
 */
export type FileResponses<MediaType extends string> =
  & {
    readonly [Status in 200 | 206]: {
      readonly body: Content<MediaType>;
      readonly headers: StandardSchemaV1;
    };
  }
  & { readonly 304: { readonly headers: StandardSchemaV1 } }
  & {
    readonly [Status in 404 | 412 | 416 | 431]: {
      readonly body: typeof Problem;
      readonly description: string;
    };
  };

/**
 * Declares the responses of {@linkcode sendFile} for a method's schema, and so for the
 * document and for contract tests.
 *
 * @typeParam MediaType The media type of the file.
 * @param mediaType The media type, or a range such as `image/*`.
 * @returns The value for the member `response` of a method's schema, to use alone or in
 * an object with others: `{ ...fileResponses("image/*"), 403: Problem }`.
 * @throws {TypeError} If the media type is malformed.
 *
 * @example Usage
 * ```ts
 * import type { RouteSchema } from "@bough/framework";
 * import { fileResponses } from "@bough/framework/files";
 *
 * export const schema = {
 *   get: { response: fileResponses("image/png") },
 * } satisfies RouteSchema;
 * ```
 */
export function fileResponses<const MediaType extends string>(
  mediaType: MediaType,
): FileResponses<MediaType> {
  const body = content(mediaType);
  const problem = (description: string) => ({ body: Problem, description });
  return {
    200: { body, headers: VERSION },
    206: { body, headers: PART },
    304: { headers: VERSION },
    404: problem("The file is missing"),
    412: problem("The version does not match"),
    416: problem("The range is beyond the end of the file"),
    431: problem("A list of tags is too long"),
  };
}

const TAG = { etag: "The tag of the current version" };
const VERSION: StandardSchemaV1 = headerSchema(TAG, []);
const PART: StandardSchemaV1 = headerSchema({
  ...TAG,
  "content-range": "The positions of the first and the last byte, and the size",
}, ["content-range"]);
