import type {
  DeclaredResponses,
  NegotiableStatus,
  RespondSchema,
  ResponseType,
} from "../types/responses.ts";
import type {
  AnyContent,
  Content,
  MethodSchema,
  StandardSchemaV1,
} from "../types/schema.ts";
import { MEDIA_TYPE, preferredType } from "../common/media_type.ts";
import { quoted } from "../common/values.ts";
import { HttpError } from "../errors.ts";
import { declarationOf } from "./declaration.ts";

/**
 * Declares a body with a media type of its own, such as a file, an image, CSV or an
 * event stream.
 *
 * @param mediaType The media type. A range such as `image/*` allows several types.
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
 * @param mediaType The media type, such as `application/vnd.shop.book+json`, or for
 * requests also a range, such as `application/*+json`. Requests with another type are
 * rejected with 415 (RFC 9110, section 15.5.16).
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
 * const POST = ({ validated }: FrameworkRequest<typeof schema.post>) =>
 *   Response.json(
 *     validated.bodyType === "application/vnd.shop.v1+json"
 *       ? validated.body.name
 *       : validated.body.title,
 *   );
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
): AnyContent {
  if (!MEDIA_TYPE.test(mediaType)) {
    throw new TypeError(
      `Cannot declare content of type "${mediaType}": not a media type; write a type such as "application/pdf"`,
    );
  }
  return { mediaType, schema };
}

/**
 * Chooses the declared media type of a response that fits the header `Accept` best (RFC
 * 9110, 12.5.1). The type with the highest weight is best, then the type with the most
 * specific range, then the first. Without `Accept`, and if no type fits, returns the
 * first declared type.
 *
 * @typeParam Schema The schemas of the method.
 * @typeParam Status The status.
 * @param request The request, whose header `Accept` counts.
 * @param schema The schemas of the method, such as `schema.get`.
 * @param status A status whose bodies are declared with `content()`.
 * @param options `strict`: whether a request that accepts no declared type is rejected;
 * `false` by default.
 * @returns The media type as declared, for the option `type` of `respond()`.
 * @throws {HttpError} With `strict`, 406 if no declared type is acceptable.
 * @throws {TypeError} If `content()` declares no body of this status.
 *
 * @example Usage
 * ```ts
 * import {
 *   content,
 *   type FrameworkRequest,
 *   negotiate,
 *   respond,
 *   type RouteSchema,
 * } from "@bough/framework";
 * import { z } from "zod";
 *
 * const Book = z.object({ id: z.int(), title: z.string() });
 *
 * export const schema = {
 *   get: {
 *     response: {
 *       200: [
 *         content("application/json", z.array(Book)),
 *         content("text/csv", z.string()),
 *       ],
 *     },
 *   },
 * } satisfies RouteSchema;
 *
 * export function GET(request: FrameworkRequest): Response {
 *   const books = [{ id: 1, title: "Emma" }];
 *   const type = negotiate(request, schema.get, 200);
 *   if (type === "application/json") return respond(schema.get, 200, books);
 *   const rows = books.map(({ id, title }) => `${id},${title}\n`);
 *   return respond(schema.get, 200, `id,title\n${rows.join("")}`, { type });
 * }
 * ```
 */
export function negotiate<
  Schema extends RespondSchema,
  Status extends NegotiableStatus<Schema>,
>(
  request: Pick<Request, "headers">,
  schema: Schema,
  status: Status,
  { strict = false }: { readonly strict?: boolean } = {},
): ResponseType<DeclaredResponses<Schema>[Status]> {
  const { responses } = declarationOf(schema as MethodSchema);
  const types = responses.get(status as number)?.bodies
    .flatMap(({ mediaType }) => mediaType ?? []) ?? [];
  const [first] = types;
  if (first === undefined) {
    throw new TypeError(
      `Cannot negotiate the response with ${status}: the schema declares no media type; declare a list of content()`,
    );
  }
  const type = preferredType(request.headers.get("accept") ?? "", types);
  if (type === undefined && strict) {
    const detail = `The request accepts none of the types ${quoted(types)}`;
    throw new HttpError(406, detail, { headers: { vary: "Accept" } });
  }
  return (type ?? first) as ResponseType<DeclaredResponses<Schema>[Status]>;
}
