import { isInRange, isJson, isText, mediaType } from "../common/media_type.ts";
import { shorten } from "../common/values.ts";
import type { StandardSchemaIssue, StandardSchemaV1 } from "../types/schema.ts";
import type { DeclaredResponse } from "./responses.ts";
import { IssueReport, runSchema } from "./run_schema.ts";
import { unnamedMembers } from "./unnamed_members.ts";

/** How many characters of a media type are looked at; RFC 6838 allows 255. */
const MAX_TYPE = 255;

/**
 * Says in words how a response differs from what is declared; `""` if it does not.
 *
 * @param options Whether it responds to `HEAD`, and whether its body is not to be read.
 */
export async function responseFaults(
  response: Response,
  declared: DeclaredResponse,
  { isHead, isUnread = false }: {
    readonly isHead: boolean;
    readonly isUnread?: boolean;
  },
): Promise<string> {
  const report = new IssueReport();
  const faults: string[] = [];
  // The response to HEAD has no body, whatever that to GET has.
  if (!isHead || response.body !== null) {
    const fault = await checkBody(response, declared, { report, isUnread });
    if (fault !== undefined) faults.push(fault);
  }
  if (declared.headers !== undefined) {
    const values = Object.fromEntries(response.headers);
    const { issues } = await runSchema(declared.headers, values, "headers");
    if (issues !== undefined) report.add("headers", issues);
  }
  return [...report.words(), ...faults].join("; ");
}

/** Whether the body is read for its check, by a schema. */
export function readsBody(
  response: Response,
  { body }: DeclaredResponse,
): boolean {
  return body !== undefined && isRead(typeOf(response));
}

/** Says in words how a JSON value differs from its schema; `""` if it does not. */
export async function jsonFaults(
  schema: StandardSchemaV1,
  value: unknown,
): Promise<string> {
  const report = new IssueReport();
  await check(schema, value, report);
  return report.words().join("; ");
}

/** Reports the issues of a body, and returns what else is wrong with it. */
async function checkBody(
  response: Response,
  { mediaType: declared, body: schema }: DeclaredResponse,
  { report, isUnread }: {
    readonly report: IssueReport;
    readonly isUnread: boolean;
  },
): Promise<string | undefined> {
  if (schema === undefined && declared === undefined) {
    return await isEmpty(response)
      ? undefined
      : "it has a body, and none is declared; declare one, or send null";
  }
  const type = typeOf(response);
  if (response.body === null) {
    if (schema === undefined) return "it has no body";
    await check(schema, undefined, report);
    return undefined;
  }
  if (schema !== undefined && isRead(type) && !isUnread) {
    const text = await response.clone().text();
    const parsed = isJson(type) ? parseJson(text) : { value: text };
    if (parsed === undefined) return "it is not valid JSON";
    await check(schema, parsed.value, report);
  }
  return typeFault(type, declared);
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

/** Looks at the first bytes alone, since a stream may never end. */
async function isEmpty(response: Response): Promise<boolean> {
  const reader = response.body === null
    ? undefined
    : response.clone().body!.getReader();
  for (let chunk = await reader?.read(); !(chunk?.done ?? true);) {
    if (chunk!.value!.length > 0) {
      reader!.cancel().catch(() => {});
      return false;
    }
    chunk = await reader!.read();
  }
  return true;
}

/** Says that a type is not the declared one, and how to declare it. */
function typeFault(
  type: string,
  declared: string | undefined,
): string | undefined {
  const fits = declared === undefined
    ? isRead(type)
    : isInRange(type, mediaType(declared));
  if (fits) return undefined;
  const wanted = declared ?? "application/json";
  return type === ""
    ? `it has no content type, and "${wanted}" is declared; set the header content-type`
    : `its content type is "${type}", and "${wanted}" is declared; send that, or declare content("${type}")`;
}

/** The media type of a response, cut short: a client may have chosen it. */
function typeOf({ headers }: Response): string {
  return shorten(mediaType(headers.get("content-type")), MAX_TYPE);
}

function isRead(type: string): boolean {
  return isJson(type) || isText(type);
}

type Issue = StandardSchemaIssue;

/** The issues that turned texts into dates, by the object that holds each. */
type Revived = Map<object, Map<PropertyKey, Issue>>;

/**
 * Checks the JSON of a response by a schema, and returns what is wrong.
 *
 * A response schema describes what is sent, and JSON sends a `Date` as a text. So
 * where the schema refuses a text that `Date.prototype.toJSON` writes, it is asked
 * again with the date: `z.date()` accepts `"2026-01-31T12:00:00.000Z"`. Members that
 * it does not name are wrong, too, even if it drops them.
 *
 * @param value Belongs to this check, which may change it.
 */
export async function checkJson(
  schema: StandardSchemaV1,
  value: unknown,
): Promise<readonly Issue[] | undefined> {
  const root = { value };
  const revived: Revived = new Map();
  let result = await runSchema(schema, value, "response");
  // A union reports itself, not the date in one of its members: hence the second time.
  for (const deep of [false, true]) {
    if (result.issues === undefined) break;
    let found = false;
    for (const issue of result.issues) {
      if (revive(placeOf(root, issue), { issue, revived, deep })) found = true;
    }
    if (found) {
      result = await runSchema(schema, root.value, "response");
    }
  }
  const { issues } = result;
  if (issues === undefined) {
    return unnamedMembers(schema, root.value, result.value);
  }
  if (revived.size === 0) return issues;
  // Where a date was no better, what is wrong is the text that was sent.
  return [
    ...new Set(issues.map((issue) => {
      const place = placeOf(root, issue);
      return place && revived.get(place.holder)?.get(place.key) || issue;
    })),
  ];
}

/** Where a value stands. */
interface Place {
  readonly holder: object;
  readonly key: PropertyKey;
}

/**
 * Turns the text at a place into a date, with `deep` also those anywhere below.
 * Returns whether there was any.
 */
function revive(
  place: Place | undefined,
  options: {
    readonly issue: Issue;
    readonly revived: Revived;
    readonly deep: boolean;
  },
): boolean {
  if (place === undefined) return false;
  const { holder, key } = place;
  const value: unknown = Reflect.get(holder, key);
  if (isDateText(value)) {
    const { issue, revived } = options;
    Reflect.set(holder, key, new Date(value));
    const keys = revived.get(holder) ?? new Map();
    revived.set(holder, keys.set(key, issue));
    return true;
  }
  let found = false;
  if (options.deep && isContainer(value)) {
    for (const key of Object.keys(value)) {
      if (revive({ holder: value, key }, options)) found = true;
    }
  }
  return found;
}

/** The place of an issue; `undefined` if nothing is there. */
function placeOf(root: object, { path = [] }: Issue): Place | undefined {
  let place: Place = { holder: root, key: "value" };
  for (const step of path) {
    const key = typeof step === "object" ? step.key : step;
    const holder: unknown = Reflect.get(place.holder, place.key);
    if (!isContainer(holder) || !Object.hasOwn(holder, key)) return undefined;
    place = { holder, key };
  }
  return place;
}

function isContainer(value: unknown): value is object {
  return typeof value === "object" && value !== null &&
    !(value instanceof Date);
}

/** Whether a value is what JSON makes of a `Date`: up to 27 characters. */
function isDateText(value: unknown): value is string {
  if (typeof value !== "string" || value.length > 27) return false;
  return value.endsWith("Z") && new Date(value).toJSON() === value;
}
