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
import type {
  AnyContent,
  ContentList,
  MethodSchema,
  ResponseBody,
  ResponseDescription,
  StandardSchemaV1,
} from "../types/schema.ts";
import { isJson, mediaType } from "../common/media_type.ts";
import { log, type RequestPlace } from "../common/log.ts";
import { quoted } from "../common/values.ts";
import type { Application } from "../request/application.ts";
import { bodyOf, contentOf, isContentList } from "./responses.ts";
import { pointerOf } from "./run_schema.ts";
import {
  isDeclared,
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
  const schema = given as unknown as RespondSchema & Sending["schema"];
  const found = bodyFor(schema.response, status);
  const isVaried = isContentList(found) && found.length > 1;
  const body = isContentList(found) ? select(found, status, second) : found;
  if (body === undefined) {
    if (second === undefined) return new Response(null, initOf(status, first));
    throw new TypeError(
      `Cannot respond with ${status}: this response has no body; write respond(schema, ${status}, { headers })`,
    );
  }
  const plain = initOf(status, second);
  const init = isVaried ? varying(plain) : plain;
  let form = FORMS.get(body) ?? formOf(body);
  if (form.isGuess && typeof first === "string") form = AS_TEXT;
  const { schema: part } = form;
  if (part === undefined || isDeclared(first, shapeOf(part))) {
    return responseOf(first, form, init);
  }
  const json = JSON.stringify(first) as string | undefined;
  if (json === undefined) return responseOf(undefined, form, init);
  const what = `the response with status ${status}`;
  const sent = jsonToSend(part, { schema, what, json });
  const response = responseOf(first, form, init, sent.text);
  if (sent.report !== undefined) wholes.set(response, sent);
  return response;
}

/** @param json The JSON to send, if it is known. */
function responseOf(
  value: unknown,
  form: BodyForm,
  init: ResponseInit | undefined,
  json?: string,
): Response {
  if (form.isJson && form.type === JSON_TYPE && json === undefined) {
    return Response.json(value, init);
  }
  const text = form.isJson
    // `Response.json` throws if the value has no JSON.
    ? json ?? JSON.stringify(value) ?? Response.json(value, init).body
    // A date is sent as in JSON.
    : value instanceof Date
    ? value.toJSON()
    : value as BodyInit;
  const response = new Response(text, init);
  // For every string, `new Response` sets the type `text/plain`, even for CSV.
  if (form.type !== AS_TEXT.type && !namesType(init?.headers)) {
    response.headers.set("content-type", form.type);
  }
  return response;
}

/** The form in which a declared body is sent. */
interface BodyForm {
  /** The declared media type. */
  readonly type: string;
  /** Whether the value becomes JSON. Otherwise, `Response` receives it unchanged. */
  readonly isJson: boolean;
  /** Declares the members of the JSON. */
  readonly schema?: StandardSchemaV1 | undefined;
  /**
   * Whether the schema has no exact JSON Schema. A string is then sent as text, and any
   * other value as JSON.
   */
  readonly isGuess?: boolean;
}

const JSON_TYPE = "application/json";
const AS_TEXT: BodyForm = { type: "text/plain", isJson: false };

/** A cache, since libraries take long to describe a schema. */
const FORMS = new WeakMap<object, BodyForm>();

function formOf(body: Exclude<ResponseBody, ContentList>): BodyForm {
  const { mediaType: type, schema } = contentOf(body);
  const isJsonType = type === undefined || isJson(mediaType(type));
  const form: BodyForm = {
    type: type ?? JSON_TYPE,
    isJson: isJsonType && schema !== undefined,
    schema: isJsonType ? schema : undefined,
    isGuess: type === undefined,
  };
  FORMS.set(body, form);
  return form;
}

/** The declared body for a status; `undefined` if the response has no body. */
function bodyFor(response: unknown, status: number): ResponseBody | undefined {
  // A schema may be a function, as in ArkType.
  const all = Object(response) as Record<string, unknown>;
  const isSchema = "~standard" in all;
  const declared = isSchema && status === 200 ? all : all[status];
  if (declared === undefined) {
    throw new TypeError(
      `Cannot respond with ${status}: the schema does not declare this status; declare it in "response", or return a new Response()`,
    );
  }
  return bodyOf(declared as ResponseBody | ResponseDescription);
}

/** Selects one of several media types: the option `type`, or the first. */
function select(all: ContentList, status: number, init: unknown): AnyContent {
  const { type = all[0]?.mediaType } = Object(init);
  const found = all.find(({ mediaType }) => mediaType === type);
  if (found !== undefined) return found;
  const types = quoted(all.map(({ mediaType }) => mediaType));
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

type Rules = Pick<Application, "sendUndeclared" | "validateResponses">;

/** A method that sends values with schemas. */
interface Sender {
  /** The method and its route, for the log. */
  readonly place: RequestPlace | string;
  readonly application: Rules;
  /** Whether all applications with these schemas send undeclared members. */
  readonly sendUndeclared: boolean;
  /** Whether the log names a member that the method has passed. */
  hasLogged: boolean;
}

/** The methods by their schemas. */
const senders = new WeakMap<object, Sender>();

/**
 * Notes the method of schemas, since `respond()` gets only the schemas. Several
 * applications may share them: Bough leaves out members unless all send them.
 */
export function noteSender(
  schema: object,
  { place, application }: Pick<Sender, "place" | "application">,
): void {
  const known = senders.get(schema);
  if (known?.application === application) return;
  const sendUndeclared = application.sendUndeclared &&
    known?.sendUndeclared !== false;
  senders.set(schema, { place, application, sendUndeclared, hasLogged: false });
}

/** JSON with all members of a value. */
export interface Sending {
  /** The schemas of the method. */
  readonly schema: Pick<MethodSchema, "sendUndeclared">;
  /** The sent part, for the log, such as `event "done"`. */
  readonly what: string;
  readonly json: string;
  /** The value, unless {@linkcode isDeclared} has rejected it. */
  readonly value?: unknown;
}

/** The JSON of a value. */
export interface Sent {
  /** The JSON to send. */
  readonly text: string;
  /** The JSON to check, which may have undeclared members, too. */
  readonly json: string;
  /** Logs the first member that is left out, unless the check reports it. */
  readonly report?: () => void;
}

/**
 * Leaves out the members that the schema of a value does not declare, unless the method
 * sends them. Bough calls each getter and each `toJSON()` once, as `JSON.stringify` does.
 */
export function jsonToSend(part: StandardSchemaV1, sending: Sending): Sent {
  const { schema, json, value: given } = sending;
  if (given !== undefined && isDeclared(given, shapeOf(part))) {
    return { text: json, json };
  }
  const { application, sendUndeclared: isOption } = senderOf(schema);
  const { sendUndeclared = isOption || undefined } = schema;
  const value: unknown = JSON.parse(json);
  const omitted = sendUndeclared ? [] : undeclaredIn(value, shapeOf(part));
  const [first] = omitted;
  if (first === undefined) return { text: json, json };
  // A deletion would make the object slow.
  for (const { holder, key } of omitted) holder[key] = undefined;
  const text = JSON.stringify(value);
  if (sendUndeclared === false) return { text, json: text };
  const report = () => logOnce(sending, first);
  if (application.validateResponses !== false) return { text, json, report };
  report();
  return { text, json };
}

/** The values that responses lack, for {@linkcode wholeOf}. */
const wholes = new WeakMap<Response, Sent>();

/** The value that a handler passed to `respond()`, if Bough left out members. */
export function wholeOf(response: Response): Sent | undefined {
  return wholes.get(response);
}

/** The sender of schemas outside of routes. */
const OUTSIDE: Sender = {
  place: "outside of a route",
  application: { sendUndeclared: false, validateResponses: false },
  sendUndeclared: false,
  hasLogged: false,
};

function senderOf(schema: object): Sender {
  return senders.get(schema) ?? OUTSIDE;
}

function logOnce({ schema, what }: Sending, member: Member): void {
  const sender = senderOf(schema);
  if (sender.hasLogged) return;
  sender.hasLogged = true;
  const pointer = pointerOf({ message: "", path: pathOf(member) });
  log({
    level: "notice",
    place: sender.place,
    message:
      `${what} is sent without "${pointer}", since only declared members are sent; declare it, omit it, or set "sendUndeclared" to false in the schema (only the first such member is logged)`,
  });
}
