import {
  isRange,
  kindOfType,
  MEDIA_TYPE,
  mediaType,
  normalType,
} from "../common/media_type.ts";
import { isObject, isStandardSchema, kindOf } from "../common/values.ts";
import type { Report } from "../common/faults.ts";
import { BODYLESS } from "../common/response.ts";
import { isContent } from "../schema/responses.ts";
import { isStreamedSchema } from "../schema/check_request.ts";
import type { MethodSchema } from "../types/schema.ts";

/** The end of a message about a value that is not a schema. */
export const NO_SCHEMA =
  "is not a Standard Schema; create it with a library such as zod, Valibot or ArkType";

/** Checks a member such as `schema.get.response`: a schema, or an object by status. */
export function checkResponses(
  member: string,
  responses: object,
  report: Report,
): void {
  if (isStandardSchema(responses)) return;
  if (isContent(responses) || Array.isArray(responses)) {
    const found = isContent(responses) ? "content()" : "a list";
    report(
      `${member} is ${found}; declare it by status, such as { 200: content(...) }`,
    );
    return;
  }
  for (const [status, response] of Object.entries(responses)) {
    if (/^[2-5]\d\d$/.test(status)) {
      checkResponse(`${member}[${status}]`, response, {
        isBodyless: BODYLESS.has(Number(status)),
        report,
      });
    } else {
      report(
        `${member} has the key "${status}"; declare a schema, or schemas by status (200 to 599), such as { 200: ... }`,
      );
    }
  }
}

interface Context {
  /** Whether responses with this status never have a body. */
  readonly isBodyless: boolean;
  readonly report: Report;
}

function checkResponse(
  member: string,
  response: unknown,
  context: Context,
): void {
  const { report } = context;
  if (isStandardSchema(response)) return;
  if (isDeclared(response)) {
    checkResponseBody(member, response, context);
    return;
  }
  if (!isObject(response)) {
    report(
      `${member} ${NO_SCHEMA}, or describe the response: { body: ..., headers: ... }, or {} for no body`,
    );
    return;
  }
  for (const [name, value] of Object.entries(response)) {
    const each = `${member}.${name}`;
    if (name === "body") checkResponseBody(each, value, context);
    else if (name === "headers") checkHeaders(each, value, report);
    else if (name !== "description") {
      report(
        `${each} is unknown; a response has "body", "headers", "description"`,
      );
    } else if (typeof value !== "string") report(`${each} must be a string`);
  }
}

function checkResponseBody(
  member: string,
  body: unknown,
  { isBodyless, report }: Context,
): void {
  if (isBodyless) {
    report(
      `${member} has no effect, since responses with this status have no body; remove it`,
    );
  } else if (isDeclared(body)) {
    checkContents(member, body, checkContent, report);
  } else if (!isStandardSchema(body)) {
    report(`${member} ${NO_SCHEMA}, or with content("application/pdf")`);
  }
}

function checkHeaders(member: string, headers: unknown, report: Report): void {
  if (isStandardSchema(headers)) return;
  const isWrapper = isObject(headers) &&
    Object.values(headers).some(isStandardSchema);
  const reason = isWrapper
    ? "is an object of schemas; make it one schema, such as z.object({ ... })"
    : NO_SCHEMA;
  report(`${member} ${reason}`);
}

/** Whether a value is `content()`, or a list. */
export function isDeclared(value: unknown): boolean {
  return isContent(value) || Array.isArray(value);
}

type Unchecked = Readonly<Record<"mediaType" | "schema", unknown>>;

type ContentCheck = (
  member: string,
  content: Unchecked,
  report: Report,
) => void;

/** Checks one content, or a list, whose media types must be distinct. */
export function checkContents(
  member: string,
  declared: unknown,
  check: ContentCheck,
  report: Report,
): void {
  if (!Array.isArray(declared)) {
    return check(member, declared as Unchecked, report);
  }
  if (declared.length === 0) {
    report(
      `${member} is an empty list; add content("application/json", schema)`,
    );
  }
  const types = new Set<string>();
  for (const [index, value] of declared.entries()) {
    const each = `${member}[${index}]`;
    if (!isContent(value)) {
      const remedy = 'such as content("application/json", schema)';
      report(`${each} is not content(); name its media type, ${remedy}`);
      continue;
    }
    const { mediaType } = value;
    const type = typeof mediaType === "string" ? normalType(mediaType) : "";
    // `respond()` sends one of the types.
    if (check === checkContent && isRange(type)) {
      report(`${each} is the range "${mediaType}"; list exact media types`);
    } else if (types.has(type)) {
      report(`${each} declares "${mediaType}" again; remove it`);
    } else check(each, value, report);
    if (type !== "") types.add(type);
  }
}

/** Checks a content of a response. */
function checkContent(
  member: string,
  { mediaType, schema }: Unchecked,
  report: Report,
): void {
  if (typeof mediaType !== "string" || !MEDIA_TYPE.test(mediaType)) {
    const isText = typeof mediaType === "string";
    const found = isText ? `"${mediaType}"` : kindOf(mediaType);
    const wrong = `${member}.mediaType is ${found}`;
    report(`${wrong}; create it with content("application/pdf")`);
  }
  if (schema !== undefined && !isStandardSchema(schema)) {
    report(`${member}.schema ${NO_SCHEMA}`);
  }
}

/** Checks a content of a request. */
export function checkBody(
  member: string,
  content: Unchecked,
  report: Report,
): void {
  const { mediaType: type, schema } = content;
  const of = `${member} of type "${type}"`;
  if (typeof type !== "string") {
    checkContent(member, content, report);
  } else if (type !== mediaType(type) || !MEDIA_TYPE.test(type)) {
    report(
      `${of} must be a type or a range in lowercase without parameters, such as "text/csv" or "application/*+json"`,
    );
  } else if (kindOfType(type) !== undefined && !isStandardSchema(schema)) {
    report(
      `${of} has no Standard Schema; write content("${type}", schema), or declare file({ types: ["${type}"] })`,
    );
  } else if (
    kindOfType(type) === undefined ||
    isStreamedSchema(schema as MethodSchema["body"])
  ) {
    report(
      `${of} must be JSON, a form or text with a schema of its value; for other bodies and streams, declare file({ types: ["${type}"] }) or form() as the body`,
    );
  }
}
