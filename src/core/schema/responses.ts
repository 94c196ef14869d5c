import type {
  DeclaredResponses,
  NegotiableStatus,
  RespondSchema,
  ResponseType,
} from "../types/responses.ts";
import type {
  AnyContent,
  Content,
  ContentList,
  MethodSchema,
  RequestContent,
  RequestContents,
  ResponseBody,
  ResponseDescription,
  ResponseSchemas,
  StandardSchemaV1,
} from "../types/schema.ts";
import {
  isInRange,
  isJson,
  kindOfType,
  MEDIA_TYPE,
  mediaType,
  MULTIPART,
  normalType,
  preferredType,
  specificityOf,
  URLENCODED,
} from "../common/media_type.ts";
import { isObject, quoted } from "../common/values.ts";
import { type ErrorFormat, HttpError } from "../errors.ts";
import { mixesBranches } from "./sent_members.ts";
import { describedShape, type Shape } from "./shape.ts";
import { mediaTypeOf } from "./ways.ts";

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

/** Whether a value was created by `content()`, in any copy of this package. */
export function isContent(value: unknown): value is AnyContent {
  return isObject(value) && "mediaType" in value && !("~standard" in value);
}

/** Whether a declared body has several media types. */
export function isContentList(value: unknown): value is ContentList {
  return Array.isArray(value);
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

/** The media types of bodies with a plain schema. */
export const READ_TYPES: readonly string[] = [
  "application/json",
  "*/*+json",
  URLENCODED,
  MULTIPART,
];

/** The bodies that a method reads, by media type, with their schemas. */
export function readContents(
  body: NonNullable<MethodSchema["body"]>,
): readonly RequestContent[] {
  const schema = body as StandardSchemaV1;
  return requestContents(body) ??
    READ_TYPES.map((mediaType) => ({ mediaType, schema }));
}

/** The content of a body without a media type; for several types, the first of JSON. */
export function untypedContent<Item extends { readonly mediaType?: string }>(
  contents: readonly Item[],
): Item {
  return contentFinder(contents)("") ?? contents[0]!;
}

/**
 * Creates the function that finds the content of a body by its media type. The most
 * specific of several ranges applies.
 */
export function contentFinder<Item extends { readonly mediaType?: string }>(
  contents: readonly Item[],
): (media: string) => Item | undefined {
  const sorted = contents.flatMap((item) => {
    const { mediaType: range } = item;
    if (range === undefined) return [];
    return [{ item, range, kind: kindOfType(range) }];
  }).sort((a, b) => specificityOf(b.range) - specificityOf(a.range));
  const untyped = contents.find(({ mediaType = "" }) => isJson(mediaType));
  return (media) => {
    if (media === "") return untyped;
    const kind = kindOfType(media);
    return sorted.find((each) =>
      each.kind === kind && isInRange(media, each.range)
    )?.item;
  };
}

/** The body of a declared response, in one media type. */
export interface DeclaredContent {
  /** The media type; `undefined` if the schema has no JSON Schema. */
  readonly mediaType: string | undefined;
  /** The schema of the JSON or text. */
  readonly schema: StandardSchemaV1 | undefined;
}

/** A response that a method declares. */
export interface DeclaredResponse {
  /** The body by media type, the default first; empty if the response has no body. */
  readonly bodies: readonly DeclaredContent[];
  /** The schema of the headers. */
  readonly headers: StandardSchemaV1 | undefined;
  /** The condition under which the response is sent. */
  readonly description: string | undefined;
}

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
  const { headers, description }: ResponseDescription = isBody(response)
    ? {}
    : response;
  const body = bodyOf(response) ?? [];
  const bodies = isContentList(body) ? body : [contentOf(body)];
  return { bodies, headers, description };
}

/** The body of a declared response, if it has one. */
export function bodyOf(
  response: ResponseBody | ResponseDescription,
): ResponseBody | undefined {
  return isBody(response) ? response : response.body;
}

/** A schema of data that a method sends. */
export interface SentSchema {
  /** Its place in the schemas of the method, such as `response[200]`. */
  readonly member: string;
  readonly schema: StandardSchemaV1;
  /** The media type; by default, JSON. */
  readonly type?: string | undefined;
}

/** The schemas of the bodies, headers, events and messages that a method sends. */
export function* sentSchemas(
  { response = {}, events = {}, socket }: MethodSchema,
): Generator<SentSchema, void> {
  for (const [status, declared] of Object.entries(byStatus(response))) {
    const member = `response[${status}]`;
    for (const body of [bodyOf(declared) ?? []].flat()) {
      const { schema, mediaType: type } = isContent(body)
        ? body
        : { schema: body };
      if (schema !== undefined) yield { member, schema, type };
    }
    const schema = isBody(declared) ? undefined : declared.headers;
    if (schema) {
      yield { member: `${member}.headers`, schema, type: "text/plain" };
    }
  }
  for (const [name, schema] of Object.entries(events)) {
    yield { member: `events[${JSON.stringify(name)}]`, schema };
  }
  if (socket?.send) yield { member: "socket.send", schema: socket.send };
}

/** The schemas of JSON by which a method may send more members than intended. */
export function looseSchemas(
  schema: MethodSchema,
): Record<"undescribed" | "mixed", readonly SentSchema[]> {
  const sent = schema.sendUndeclared ? [] : [...sentSchemas(schema)]
    .filter(({ type = "application/json" }) => isJson(mediaType(type)));
  const shapes = sent.map((each) =>
    [each, describedShape(each.schema)] as const
  );
  const where = (test: (shape: Shape | undefined) => boolean | undefined) =>
    shapes.filter(([, shape]) => test(shape)).map(([each]) => each);
  return {
    // The library describes nothing, so all members are sent.
    undescribed: where((shape) => shape === undefined),
    mixed: where((shape) => shape && mixesBranches(shape)),
  };
}

/** Describes a body of one media type. */
export function contentOf(
  body: Exclude<ResponseBody, ContentList>,
): DeclaredContent {
  return isContent(body)
    ? body
    : { mediaType: mediaTypeOf(body), schema: body };
}

/** Whether a declaration of a response describes only its body. */
function isBody(
  response: ResponseBody | ResponseDescription,
): response is ResponseBody {
  return "~standard" in response || isContent(response) ||
    isContentList(response);
}

/**
 * Returns the declaration of a body with a content type. If only one body is declared,
 * returns this body; otherwise, `undefined` if no media type fits.
 */
export function contentFor(
  { bodies }: DeclaredResponse,
  contentType: string | null,
): DeclaredContent | undefined {
  if (bodies.length < 2) return bodies[0];
  const find = (normalize: (type: string | null) => string) =>
    bodies.find((each) =>
      normalize(each.mediaType ?? null) === normalize(contentType)
    );
  return find(normalType) ?? find(mediaType);
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
  const all = schema.response as ResponseSchemas | undefined;
  const declared = all?.[status as number];
  const body = declared && bodyOf(declared);
  const list = isContentList(body) ? body : [body].filter(isContent);
  const types = list.map(({ mediaType }) => mediaType);
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
  return errors === undefined ? response : {
    ...response,
    bodies: response.bodies.map((each) =>
      each.schema !== undefined && isProblem(each.schema)
        ? { mediaType: errors.contentType, schema: errors.schema }
        : each
    ),
  };
}
