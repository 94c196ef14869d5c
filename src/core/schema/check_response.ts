import { log } from "../common/log.ts";
import {
  isInRange,
  isJson,
  isJsonOrText,
  mediaType,
  normalType,
} from "../common/media_type.ts";
import { quoted, shorten } from "../common/values.ts";
import { NO_CONNECTION, requestPlace } from "../request/record.ts";
import type { ResponseChecks } from "../request/application.ts";
import {
  discard,
  isEmpty,
  isLocked,
  isStreamed,
  refuseErrorResponse,
} from "../common/response.ts";
import type {
  DeclaredContent,
  DeclaredResponse,
} from "../types/effective_schema.ts";
import type { FrameworkRequest } from "../types/request.ts";
import type { StandardSchemaIssue, StandardSchemaV1 } from "../types/schema.ts";
import { jsonIssues } from "./json_issues.ts";
import { IssueReport, type Mismatch, runSchema } from "./run_schema.ts";
import { fitsShape, pathOf, undeclaredIn } from "./sent_members.ts";
import { shapeOf, sidesOf } from "./sides.ts";

/** The error of a handler's response that violates its schema. */
export class ResponseSchemaError extends Error {
  /** The name of the error class. */
  override name = "ResponseSchemaError";
}

/**
 * Creates the check of a method's responses. The method or its folders declare the
 * response for each status. The check reads a copy of each response, so the client
 * receives the handler's response, even if the schema strips or transforms values.
 */
export const createResponseCheck: ResponseChecks = (operation) => {
  const { effective: { response: responses }, application } = operation;
  const { validateResponses } = application;
  return async (response, request, whole) => {
    assertSendable(response, request);
    const expected = responses.get(response.status);
    if (expected === undefined) return response;
    const { text } = await mismatchOf(response, expected.value, {
      json: whole?.json,
      isHead: request.method === "HEAD",
      // The body of a stream is not checked, since it may never end.
      isUnread: isStreamed(response),
    });
    if (text === "") {
      whole?.report();
      return response;
    }
    const message = messageOf(response, text);
    if (validateResponses !== "warn") {
      discard(response);
      throw new ResponseSchemaError(message);
    }
    const place = requestPlace(request, operation);
    log({ level: "warning", place, message });
    return response;
  };
};

function messageOf({ status }: Response, mismatch: string): string {
  return `the response with status ${status} does not fit its schema: ${mismatch}`;
}

/** The maximum length of a media type; RFC 6838 allows 255 characters. */
const MAX_TYPE = 255;

/**
 * Compares a response with its declaration.
 *
 * @param options Whether the request was `HEAD`, whether the body must stay unread, and
 * the JSON to check instead of a body without undeclared members.
 */
export async function mismatchOf(
  response: Response,
  declared: DeclaredResponse,
  { isHead, isUnread = false, json }: {
    readonly isHead: boolean;
    readonly isUnread?: boolean;
    readonly json?: string | undefined;
  },
): Promise<Mismatch> {
  const report = new IssueReport();
  let other: Mismatch | undefined;
  // The response to HEAD has no body, even if the response to GET has a body.
  if (!isHead || response.body !== null) {
    other = await checkBody(response, declared, { report, isUnread, json });
  }
  if (declared.headers !== undefined) {
    const values = Object.fromEntries(response.headers);
    const { issues } = await runSchema(declared.headers, values, "headers");
    if (issues !== undefined) report.add("headers", issues);
  }
  return report.mismatch(other);
}

/**
 * The requests of a server, by their `info`, to which handlers returned responses; Deno
 * does not show which of them it has sent. A nested application may have checked the
 * response to the same request.
 */
const returned = new WeakMap<Response, FrameworkRequest["info"]>();

/**
 * Without this check, Deno would find the mistake when it sends the response, and could
 * not name the route.
 *
 * @throws {TypeError} If the response is `Response.error()`, or its body was already
 * read, sent or locked.
 */
function assertSendable(
  response: Response,
  { info }: Pick<FrameworkRequest, "info">,
): void {
  refuseErrorResponse(response);
  if (isEmpty(response)) return;
  const isUsed = response.bodyUsed ||
    (returned.get(response) ?? info) !== info;
  if (info !== NO_CONNECTION) returned.set(response, info);
  if (!isUsed && !isLocked(response)) return;
  const state = isUsed ? "already used" : "locked";
  throw new TypeError(
    `A handler returned a Response whose body was ${state}; return a new response, or a clone()`,
  );
}

/** Compares a JSON value with its schema. */
export async function jsonMismatch(
  schema: StandardSchemaV1,
  value: unknown,
): Promise<Mismatch> {
  const report = new IssueReport();
  await check(schema, value, report);
  return report.mismatch();
}

/** Reports the issues of a body, and returns any other difference. */
async function checkBody(
  response: Response,
  declared: DeclaredResponse,
  { report, isUnread, json }: {
    readonly report: IssueReport;
    readonly isUnread: boolean;
    readonly json: string | undefined;
  },
): Promise<Mismatch | undefined> {
  if (declared.bodies.length === 0) {
    return await hasNoBytes(response)
      ? undefined
      : wholeMismatch("the body is undeclared; declare one, or send null");
  }
  const type = typeOf(response);
  const content = contentFor(declared, response.headers.get("content-type"));
  if (content === undefined) return typeMismatch(type, declared.bodies);
  const { schema } = content;
  if (response.body === null) {
    if (schema === undefined) return wholeMismatch("the body is missing");
    await check(schema, undefined, report);
    return undefined;
  }
  if (schema !== undefined && isJsonOrText(type) && !isUnread) {
    const text = json ?? await response.clone().text();
    const parsed = isJson(type) ? parseJson(text) : { value: text };
    if (parsed === undefined) {
      return wholeMismatch("the body is not valid JSON");
    }
    await check(schema, parsed.value, report);
  }
  return typeMismatch(type, [content]);
}

/**
 * Returns the declaration of a body with a content type. If only one body is declared,
 * returns this body; otherwise, `undefined` if no media type fits.
 */
function contentFor(
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

function wholeMismatch(text: string): Mismatch {
  return { text, at: [] };
}

async function check(
  schema: StandardSchemaV1,
  value: unknown,
  report: IssueReport,
): Promise<void> {
  const issues = await checkJson(schema, value);
  if (issues !== undefined) report.add("body", issues);
}

function parseJson(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

/** Reads only the first bytes, since a stream may never end. */
async function hasNoBytes(response: Response): Promise<boolean> {
  if (response.body === null) return true;
  const reader = response.clone().body!.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return true;
    if (value.length === 0) continue;
    reader.cancel().catch(() => {});
    return false;
  }
}

/** Reports a type that differs from the declared types, and how to declare it. */
function typeMismatch(
  type: string,
  bodies: readonly DeclaredContent[],
): Mismatch | undefined {
  const fits = bodies.some(({ mediaType: declared }) =>
    declared === undefined
      ? isJsonOrText(type)
      : isInRange(type, mediaType(declared))
  );
  if (fits) return undefined;
  const types = bodies.map(({ mediaType = "application/json" }) => mediaType);
  const expected = quoted(types, " or ");
  const text = type === ""
    ? `the content type is missing; set the header content-type to ${expected}`
    : `the content type is "${type}" instead of ${expected}; send the declared type, or declare content("${type}")`;
  return { text, at: ["headers#/content-type"] };
}

/** The media type of a response, shortened, since a client may have chosen it. */
function typeOf({ headers }: Response): string {
  return shorten(mediaType(headers.get("content-type")), MAX_TYPE);
}

type Issue = StandardSchemaIssue;

/** The maximum number of undeclared members to find. */
const MAX_MEMBERS = 100;

/**
 * Checks the JSON of a response with a schema, and returns the issues.
 *
 * JSON of the input side, such as `"true"` for `z.stringbool()`, is checked with the
 * schema itself. Any other JSON, such as `true`, must fit the JSON Schema of the output.
 * Members that the JSON Schema does not declare are issues, too, even if the schema drops
 * them.
 *
 * @param value The parsed JSON.
 */
export async function checkJson(
  schema: StandardSchemaV1,
  value: unknown,
): Promise<readonly Issue[] | undefined> {
  const { input, output, isSame } = sidesOf(schema);
  const isInput = fitsShape(input, value);
  const issues = isInput || isSame ? await issuesOf(schema, value) : undefined;
  if (issues === undefined && isInput) return undeclared(value, schema);
  if (issues !== undefined && isSame) return issues;
  if (output === undefined) return undefined;
  const others = jsonIssues(output, value);
  return others.length > 0 ? others : undeclared(value, schema);
}

/** The issues of undeclared members; the items of an array share one. */
function undeclared(
  value: unknown,
  schema: StandardSchemaV1,
): readonly Issue[] | undefined {
  const found = new Map<string, Issue>();
  for (const member of undeclaredIn(value, shapeOf(schema))) {
    const path = pathOf(member);
    const kind = JSON.stringify(
      path.map((step) => typeof step === "number" ? 0 : step),
    );
    if (found.has(kind)) continue;
    const message = "is undeclared; declare it, or do not send it";
    found.set(kind, { message, path });
    if (found.size === MAX_MEMBERS) break;
  }
  return found.size === 0 ? undefined : [...found.values()];
}

/** The location of a value. */
interface Slot {
  readonly holder: object;
  readonly key: PropertyKey;
}

/**
 * The issues of a schema for JSON. If the schema rejects a string in the format of
 * `Date.prototype.toJSON`, the check runs again with the date: `z.date()` accepts
 * `"2026-01-31T12:00:00.000Z"`.
 *
 * @param value The parsed JSON, which has the dates only during the check.
 */
async function issuesOf(
  schema: StandardSchemaV1,
  value: unknown,
): Promise<readonly Issue[] | undefined> {
  const root = { value };
  const dates: (Slot & { readonly issue: Issue })[] = [];
  let { issues } = await runSchema(schema, value, "response");
  // A union reports an issue only at its own path, not at the path of a date inside.
  // The second run therefore converts all dates below the issue.
  for (const isDeep of [false, true]) {
    const known = dates.length;
    for (const issue of issues ?? []) {
      const found = revive(slotOf(root, issue), isDeep);
      dates.push(...found.map((slot) => ({ ...slot, issue })));
    }
    if (dates.length === known) continue;
    ({ issues } = await runSchema(schema, root.value, "response"));
  }
  if (dates.length === 0) return issues;
  // If the date is also rejected, report the issue of the string that was sent.
  const reported = issues?.map((issue) => {
    const slot = slotOf(root, issue);
    const date = dates.find(({ holder, key }) =>
      holder === slot?.holder && key === slot.key
    );
    return date?.issue ?? issue;
  });
  for (const { holder, key } of dates) {
    Reflect.set(holder, key, Reflect.get(holder, key).toJSON());
  }
  return reported && [...new Set(reported)];
}

/** Turns the string at a place, and with `isDeep` those below it, into dates. */
function revive(slot: Slot | undefined, isDeep: boolean): Slot[] {
  if (slot === undefined) return [];
  const { holder, key } = slot;
  const value: unknown = Reflect.get(holder, key);
  if (isDateString(value)) {
    Reflect.set(holder, key, new Date(value));
    return [slot];
  }
  return isDeep && isContainer(value)
    ? Object.keys(value).flatMap((key) => revive({ holder: value, key }, true))
    : [];
}

/** The place of an issue; `undefined` if no value exists there. */
function slotOf(root: object, { path = [] }: Issue): Slot | undefined {
  let slot: Slot = { holder: root, key: "value" };
  for (const step of path) {
    const key = typeof step === "object" ? step.key : step;
    const holder: unknown = Reflect.get(slot.holder, slot.key);
    if (!isContainer(holder) || !Object.hasOwn(holder, key)) return undefined;
    slot = { holder, key };
  }
  return slot;
}

function isContainer(value: unknown): value is object {
  return typeof value === "object" && value !== null &&
    !(value instanceof Date);
}

/** Whether a value is a `Date` in JSON, which has up to 27 characters. */
function isDateString(value: unknown): value is string {
  if (typeof value !== "string" || value.length > 27) return false;
  return value.endsWith("Z") && new Date(value).toJSON() === value;
}
