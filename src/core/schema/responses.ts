import type {
  Content,
  MethodSchema,
  RequestContent,
  RequestContents,
  ResponseBody,
  ResponseDescription,
  ResponseSchemas,
  StandardSchemaV1,
} from "../types/schema.ts";
import { isJson, MEDIA_TYPE } from "../common/media_type.ts";
import { isObject } from "../common/values.ts";
import type { ErrorFormat } from "../errors.ts";
import { mediaTypeOf } from "./json_schema.ts";

/**
 * Declares a body that is neither JSON nor plain text, such as a file, an image, CSV
 * or an event stream.
 *
 * @param mediaType The media type. A range such as `image/*` allows several types;
 * `application/octet-stream` allows any file.
 * @param schema Describes the body, if it is JSON or text.
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
 * Declares a body of JSON or text with its own media type, and with a schema. As the
 * member `body` of a method's schema, the content may also be a form.
 *
 * @param mediaType The media type, such as `application/vnd.shop.book+json`. Requests
 * with another type are rejected with 415 (RFC 9110, section 15.5.16).
 * @param schema Describes the JSON, the text, or the fields of the form.
 * @returns The value for the member `response` or `body` of a method's schema. A list of
 * such values as `body` accepts requests of several types.
 * @throws {TypeError} If the media type is malformed.
 *
 * @example Two versions of a body
 * ```ts
 * import { content, Framework, type FrameworkRequest } from "@bough/framework";
 * import { assertEquals } from "@std/assert";
 * import { z } from "zod";
 *
 * const schema = {
 *   post: {
 *     body: [
 *       content("application/vnd.shop.v1+json", z.object({ name: z.string() })),
 *       content("application/vnd.shop.v2+json", z.object({ title: z.string() })),
 *     ],
 *   },
 * } as const;
 * const POST = ({ validated: { body } }: FrameworkRequest<typeof schema.post>) =>
 *   Response.json("title" in body ? body.title : body.name);
 * const app = new Framework({ manifest: { "books/route.ts": { schema, POST } } });
 *
 * const send = (type: string) =>
 *   app.fetch(
 *     new Request("http://localhost/api/books", {
 *       method: "POST",
 *       headers: { "content-type": type },
 *       body: JSON.stringify({ title: "Emma" }),
 *     }),
 *   );
 * assertEquals(await (await send("application/vnd.shop.v2+json")).json(), "Emma");
 * assertEquals((await send("application/vnd.shop.v1+json")).status, 400);
 * assertEquals((await send("application/json")).status, 415);
 * ```
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
      `Cannot declare content of type "${mediaType}": not a media type; write a type such as "application/pdf"`,
    );
  }
  return { mediaType, schema };
}

/** Whether a value was created by `content()`, in any copy of this package. */
export function isContent(
  value: unknown,
): value is Content<string, StandardSchemaV1 | undefined> {
  return isObject(value) && "mediaType" in value && !("~standard" in value);
}

/**
 * The media types that `content()` declares for a body, with their schemas, if the body
 * is not a plain schema.
 */
export function requestContents(
  body: MethodSchema["body"],
): readonly RequestContent[] | undefined {
  return body === undefined || "~standard" in body
    ? undefined
    : [body as RequestContent | RequestContents].flat();
}

/** The schema of a body without a media type; of several, the first of JSON. */
export function untypedBody(
  body: NonNullable<MethodSchema["body"]>,
): StandardSchemaV1 {
  const declared = requestContents(body);
  if (declared === undefined) return body as StandardSchemaV1;
  const json = declared.find(({ mediaType }) => isJson(mediaType));
  return (json ?? declared[0]!).schema;
}

/** A response that a method declares. `mediaType` and `body` describe its body, if any. */
export interface DeclaredResponse {
  /** The media type; `undefined` if the schema has no JSON Schema. */
  readonly mediaType: string | undefined;
  /** The schema of the JSON or text. */
  readonly body: StandardSchemaV1 | undefined;
  /** The schema of the headers. */
  readonly headers: StandardSchemaV1 | undefined;
  /** The condition under which the response is sent. */
  readonly description: string | undefined;
}

/** Responses with these statuses have no body (RFC 9110, section 15). */
export const BODYLESS: ReadonlySet<number> = new Set([204, 205, 304]);

/** The responses of a method by status. */
export function declaredResponses(
  declared: NonNullable<MethodSchema["response"]>,
): Map<number, DeclaredResponse> {
  return new Map(
    Object.entries(byStatus(declared)).map(([status, response]) =>
      [Number(status), describeResponse(response)] as const
    ),
  );
}

/** Returns schemas by status; a single schema describes status 200. */
export function byStatus(
  declared: NonNullable<MethodSchema["response"]>,
): ResponseSchemas {
  return "~standard" in declared
    ? { 200: declared as StandardSchemaV1 }
    : declared;
}

/** Describes the declaration of a response in one form. */
export function describeResponse(
  response: ResponseBody | ResponseDescription,
): DeclaredResponse {
  const isBody = "~standard" in response || isContent(response);
  const { body, headers, description }: ResponseDescription = isBody
    ? { body: response }
    : response;
  const { mediaType, schema } = body === undefined || isContent(body)
    ? body ?? { mediaType: undefined, schema: undefined }
    : { mediaType: mediaTypeOf(body), schema: body };
  return { mediaType, body: schema, headers, description };
}

/** Whether a schema is `Problem`, of any copy of this package. */
export function isProblem(schema: StandardSchemaV1): boolean {
  return schema["~standard"].vendor === "bough";
}

/**
 * Returns a declared response, with the error format of the route in place of
 * `Problem`.
 */
export function inFormat(
  response: DeclaredResponse,
  errors: ErrorFormat | undefined,
): DeclaredResponse {
  return errors === undefined || response.body === undefined ||
      !isProblem(response.body)
    ? response
    : { ...response, mediaType: errors.contentType, body: errors.schema };
}
