import { shorten } from "../../common/shorten.ts";
import type { DeclaredResponse } from "./declared_response.ts";
import { IssueReport } from "./issue_report.ts";
import { checkJson } from "./response_dates.ts";
import { runSchema } from "./run_schema.ts";
import type { StandardSchemaV1 } from "./schema.ts";

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
  { mediaType, body: schema }: DeclaredResponse,
  { report, isUnread }: {
    readonly report: IssueReport;
    readonly isUnread: boolean;
  },
): Promise<string | undefined> {
  if (schema === undefined && mediaType === undefined) {
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
  return typeFault(type, mediaType);
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
    : isWithin(type, essenceOf(declared));
  if (fits) return undefined;
  const wanted = declared ?? "application/json";
  return type === ""
    ? `it has no content type, and "${wanted}" is declared; set the header content-type`
    : `its content type is "${type}", and "${wanted}" is declared; send that, or declare content("${type}")`;
}

/** Whether a media type is a given one, or of a range such as `image/*`. */
function isWithin(type: string, range: string): boolean {
  if (range === "*/*") return type !== "";
  return range.endsWith("/*")
    ? type.startsWith(range.slice(0, -1))
    : type === range;
}

/** The media type of a response, cut short: a client may have chosen it. */
function typeOf({ headers }: Response): string {
  return shorten(essenceOf(headers.get("content-type") ?? ""), MAX_TYPE);
}

/** A media type without its parameters: `text/csv; charset=utf-8` is `text/csv`. */
function essenceOf(type: string): string {
  return type.split(";", 1)[0]!.trim().toLowerCase();
}

function isRead(type: string): boolean {
  return isJson(type) || isText(type);
}

function isJson(type: string): boolean {
  return /^application\/(?:.+\+)?json$/.test(type);
}

/** A stream of events may never end, so it is not read as a text. */
function isText(type: string): boolean {
  return /^text\/(?!event-stream$)/.test(type);
}
