import type {
  DeclaredResponses,
  DefaultType,
  RespondFault,
  RespondInit,
  RespondSchema,
  RespondValue,
  ResponseStatus,
  ResponseType,
} from "../types/responses.ts";
import type { MethodSchema, StandardSchemaV1 } from "../types/schema.ts";
import { log, type RequestPlace } from "../common/log.ts";
import { quoted } from "../common/values.ts";
import type { Operation } from "../request/application.ts";
import { declarationOf, type SentBody, type SentForm } from "./declaration.ts";
import { pointerOf } from "./run_schema.ts";
import {
  isDeclared,
  jsonOf,
  type Member,
  pathOf,
  undeclaredIn,
} from "./sent_members.ts";
import { shapeOf } from "./sides.ts";

/**
 * Creates a response that the schema of the method declares. The type checker rejects
 * an undeclared status, a value whose JSON violates the schema, and a missing header.
 * At run time, only the option `validateResponses` checks values and headers.
 *
 * Members that the schema does not declare are left out, at every depth, unless the
 * option `sendUndeclared` is set. Bough logs the first such member of a method. A schema
 * without a JSON Schema declares all members.
 *
 * The schema determines the media type: JSON, `text/plain` if the schema describes a
 * string, `application/problem+json` for `Problem`, or the type passed to `content()`.
 * If the status declares several types, the option `type` selects one; by default, the
 * first is sent. Such a response has `Vary: Accept` (RFC 9110, 12.5.5).
 *
 * @typeParam Schema The schemas of the method.
 * @typeParam Status The status.
 * @param schema The schemas of the method, such as `schema.post`.
 * @param status A status that `response` declares.
 * @param value The value to send; for a response without a body, `{ headers }`.
 * @returns The response.
 * @throws {TypeError} If the status or the type is undeclared, JSON cannot represent the
 * value, or headers follow a value although the response has no body.
 *
 * @example Usage
 * ```ts
 * import {
 *   type FrameworkRequest,
 *   respond,
 *   type RouteSchema,
 * } from "@bough/framework";
 * import { z } from "zod";
 *
 * const Book = z.object({ id: z.int(), title: z.string(), added: z.iso.datetime() });
 *
 * export const schema = {
 *   post: {
 *     body: Book.pick({ title: true }),
 *     response: {
 *       201: { body: Book, headers: z.object({ location: z.string() }) },
 *     },
 *   },
 *   delete: { response: { 204: {} } },
 * } satisfies RouteSchema;
 *
 * export function POST(request: FrameworkRequest<typeof schema.post>): Response {
 *   const { title } = request.validated.body;
 *   const book = { id: 7, title, added: new Date() }; // a string in JSON
 *   return respond(schema.post, 201, book, {
 *     headers: { location: "/api/books/7" },
 *   });
 * }
 *
 * export function DELETE(): Response {
 *   return respond(schema.delete, 204);
 * }
 * ```
 */
export function respond<
  Schema extends RespondSchema,
  Status extends ResponseStatus<Schema>,
>(
  schema: Schema,
  status: Status & RespondFault<DeclaredResponses<Schema>[Status], "value">,
  value: NoInfer<RespondValue<DeclaredResponses<Schema>[Status]>>,
): Response;
/**
 * Creates a response with a value, and with headers or a media type.
 *
 * @typeParam Type The media type, if `content()` declares the body.
 * @param schema The schemas of the method.
 * @param status A status that `response` declares, with a body.
 * @param value The value to send.
 * @param init The headers, of which declared headers are required, and the `type`.
 * @returns The response.
 */
export function respond<
  Schema extends RespondSchema,
  Status extends ResponseStatus<Schema>,
  Type extends string = DefaultType<DeclaredResponses<Schema>[Status]>,
>(
  schema: Schema,
  status:
    & Status
    & RespondFault<DeclaredResponses<Schema>[Status], "value and headers">,
  value: NoInfer<RespondValue<DeclaredResponses<Schema>[Status], Type>>,
  init:
    & NoInfer<RespondInit<DeclaredResponses<Schema>[Status]>>
    & {
      readonly type?: Type & ResponseType<DeclaredResponses<Schema>[Status]>;
    },
): Response;
/**
 * Creates a response without a body.
 *
 * @param schema The schemas of the method.
 * @param status A status that `response` declares, without a body.
 * @returns The response.
 */
export function respond<
  Schema extends RespondSchema,
  Status extends ResponseStatus<Schema>,
>(
  schema: Schema,
  status: Status & RespondFault<DeclaredResponses<Schema>[Status], "nothing">,
): Response;
export function respond(
  // No call may match this type. Otherwise, the compiler would add the error TS2793 to
  // each error of a call, since the call matches the implementation.
  given: symbol,
  status: number,
  ...rest: readonly unknown[]
): Response {
  const [first, second] = rest;
  const schema = given as unknown as MethodSchema;
  const declared = declarationOf(schema).responses.get(status);
  if (declared === undefined) {
    throw new TypeError(
      `Cannot respond with ${status}: the schema does not declare this status; declare it in "response", or return a new Response()`,
    );
  }
  const { bodies } = declared;
  if (bodies.length === 0) {
    if (second === undefined) return new Response(null, initOf(status, first));
    throw new TypeError(
      `Cannot respond with ${status}: this response has no body; write respond(schema, ${status}, { headers })`,
    );
  }
  const { type } = (second ?? {}) as { readonly type?: string };
  const body = type === undefined ? bodies[0]! : select(bodies, status, type);
  const plain = initOf(status, second);
  const init = bodies.length > 1 ? varying(plain) : plain;
  let { form } = body;
  if (form.mediaType === undefined && typeof first === "string") form = AS_TEXT;
  const { shape } = form;
  const { sendUndeclared } = schema;
  if (shape === undefined || sendUndeclared || isDeclared(first, shape)) {
    return responseOf(first, form, init);
  }
  const { json, omitted: unsent } = jsonOf(first, shape);
  if (json === undefined) return responseOf(undefined, form, init);
  const { text, omitted = unsent } = withoutUndeclared(body.schema!, json);
  const response = responseOf(first, form, init, text);
  if (omitted !== undefined && sendUndeclared === undefined) {
    omissions.set(response, { json, member: omitted, schema });
  }
  return response;
}

/** @param json The JSON to send, if it is known. */
function responseOf(
  value: unknown,
  { isJson, mediaType = JSON_TYPE }: SentForm,
  init: ResponseInit | undefined,
  json?: string,
): Response {
  if (isJson && mediaType === JSON_TYPE && json === undefined) {
    return Response.json(value, init);
  }
  const text = isJson
    // `Response.json` throws if the value has no JSON.
    ? json ?? JSON.stringify(value) ?? Response.json(value, init).body
    // A date is sent as in JSON.
    : value instanceof Date
    ? value.toJSON()
    : value as BodyInit;
  const response = new Response(text, init);
  // For every string, `new Response` sets the type `text/plain`, even for CSV.
  if (mediaType !== AS_TEXT.mediaType && !namesType(init?.headers)) {
    response.headers.set("content-type", mediaType);
  }
  return response;
}

const JSON_TYPE = "application/json";
const AS_TEXT: SentForm = { mediaType: "text/plain", isJson: false };

/** Selects one of several media types. */
function select(
  bodies: readonly SentBody[],
  status: number,
  type: string,
): SentBody {
  const found = bodies.find(({ mediaType }) => mediaType === type);
  if (found !== undefined) return found;
  const types = quoted(bodies.flatMap(({ mediaType }) => mediaType ?? []));
  throw new TypeError(
    `Cannot respond with ${status} and the type "${type}": the schema declares ${types}; pass one of them`,
  );
}

/** Adds `Vary: Accept` (RFC 9110, 12.5.5), unless `Vary` contains it. */
function varying(init: ResponseInit | undefined): ResponseInit {
  const headers = new Headers(init?.headers);
  const names = headers.get("vary") ?? "";
  if (!/(?:^|,)\s*(?:accept|\*)\s*(?:,|$)/i.test(names)) {
    headers.append("vary", "Accept");
  }
  return { ...init, headers };
}

type PlainHeaders = Readonly<Record<string, string | number | undefined>>;

/** @param given The argument of {@linkcode respond} that contains the headers. */
function initOf(status: number, given: unknown): ResponseInit | undefined {
  const headers = (given as RespondInit<unknown> | undefined)?.headers;
  // `new Response()` is faster without an object than with the default status.
  if (headers === undefined) return status === 200 ? undefined : { status };
  return { status, headers: withoutAbsent(headers) };
}

/** Omits optional headers that are `undefined`, which `Headers` would turn into text. */
function withoutAbsent(headers: HeadersInit | PlainHeaders): HeadersInit {
  if (headers instanceof Headers || Array.isArray(headers)) return headers;
  for (const name in headers) {
    if ((headers as PlainHeaders)[name] !== undefined) continue;
    return Object.fromEntries(
      Object.entries(headers).filter(([, value]) => value !== undefined),
    ) as Record<string, string>;
  }
  return headers as Record<string, string>;
}

function namesType(headers: HeadersInit | undefined): boolean {
  return headers !== undefined && new Headers(headers).has("content-type");
}

/** The members that `respond()` has left out of a response. */
export interface Omission {
  /** The JSON with all members. */
  readonly json: string;
  /** The first member that is left out. */
  readonly member: Member;
  /** The schemas of the method, as passed to `respond()`. */
  readonly schema: object;
}

const omissions = new WeakMap<Response, Omission>();

/** Returns what `respond()` has left out of a response. */
export function omissionOf(response: Response): Omission | undefined {
  return omissions.get(response);
}

/**
 * Leaves out the members that a schema does not declare.
 *
 * @param json The JSON of a value, for which Bough has called each getter and each
 * `toJSON()` once, as `JSON.stringify` does.
 * @returns The JSON to send, and the first member that it lacks.
 */
export function withoutUndeclared(
  schema: StandardSchemaV1,
  json: string,
): { readonly text: string; readonly omitted?: Member | undefined } {
  const value: unknown = JSON.parse(json);
  const omitted = undeclaredIn(value, shapeOf(schema));
  if (omitted.length === 0) return { text: json };
  // A deletion would make the object slow.
  for (const { holder, key } of omitted) holder[key] = undefined;
  return { text: JSON.stringify(value), omitted: omitted[0] };
}

/** The operations whose first omission is logged. */
const logged = new WeakSet<Operation>();

/**
 * Logs the first member that an operation leaves out.
 *
 * @param what The sent part, such as `event "done"`.
 */
export function logOmission(
  member: Member,
  { operation, place, what }: {
    readonly operation: Operation;
    readonly place: RequestPlace;
    readonly what: string;
  },
): void {
  if (logged.has(operation)) return;
  logged.add(operation);
  const pointer = pointerOf({ message: "", path: pathOf(member) });
  log({
    level: "notice",
    place,
    message:
      `${what} is sent without "${pointer}", since only declared members are sent; declare it, omit it, or set "sendUndeclared" to false in the schema (only the first such member is logged)`,
  });
}
