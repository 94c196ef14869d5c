import type { Content, StandardSchemaV1 } from "./schema.ts";

/** A media type or a range of them, such as `image/*` (RFC 9110, section 8.3.1). */
export const MEDIA_TYPE =
  /^[!#$%&'*+.^_`|~\w-]+\/[!#$%&'*+.^_`|~\w-]+(?:[\t ]*;.*)?$/;

/**
 * Declares a body of another media type than JSON or plain text: a file, an image,
 * CSV, a stream of events.
 *
 * @param mediaType The media type. A range such as `image/*` stands for several,
 * `application/octet-stream` for any file.
 * @param schema Describes the body, where it is JSON or a text.
 * @returns The value for the member `response` of a method's schema.
 * @throws {TypeError} If the media type is malformed.
 *
 * @example Usage
 * ```ts
 * import { content, type RouteSchema } from "@bough/framework";
 *
 * export const schema = {
 *   get: { response: { 200: content("text/csv") } },
 * } satisfies RouteSchema;
 *
 * export function GET(): Response {
 *   return new Response("title,cents\nEmma,1200\n", {
 *     headers: { "content-type": "text/csv" },
 *   });
 * }
 * ```
 */
export function content<const MediaType extends string>(
  mediaType: MediaType,
): Content<MediaType>;
/**
 * Declares a JSON body or a text of a media type of its own, with a schema.
 *
 * @param mediaType The media type, such as `application/vnd.shop.book+json`.
 * @param schema Describes the JSON or the text.
 * @returns The value for the member `response` of a method's schema.
 * @throws {TypeError} If the media type is malformed.
 */
export function content<
  const MediaType extends string,
  Schema extends StandardSchemaV1,
>(mediaType: MediaType, schema: Schema): Content<MediaType, Schema>;
export function content(
  mediaType: string,
  schema?: StandardSchemaV1,
): Content<string, StandardSchemaV1 | undefined> {
  if (!MEDIA_TYPE.test(mediaType)) {
    throw new TypeError(
      `Cannot declare content of type "${mediaType}": write a media type, such as "application/pdf"`,
    );
  }
  return { mediaType, schema };
}

/** Whether a value was made by `content()`, of whichever copy of this package. */
export function isContent(
  value: unknown,
): value is Content<string, StandardSchemaV1 | undefined> {
  return typeof value === "object" && value !== null &&
    "mediaType" in value && !("~standard" in value);
}
