import { isObject } from "../../core/common/values.ts";
import { HttpError, type ValidationIssue } from "../../core/errors.ts";
import {
  type BodyContent,
  recordOf,
  type RequestRecord,
} from "../../core/request/record.ts";
import type { FrameworkRequest } from "../../core/types/request.ts";
import { entryBody, MAX_TEXT } from "./body.ts";
import type { Header } from "./deno_inner.ts";
import type {
  EntryError,
  EntryLog,
  EntryMessage,
  EntryStep,
  RequestEntry,
} from "./entry.ts";
import type { Secrets } from "./redact.ts";
import { entryError } from "./stack.ts";

/** A response as it was sent, with its secrets. */
export interface RawResponse {
  /** Absent if the client disconnected. */
  readonly status?: number;
  readonly headers: readonly Header[];
  /** The body; absent if it is unknown, or longer than an entry shows. */
  body?: BodyContent | undefined;
  size?: number | undefined;
}

/** A request whose response has not ended, with its secrets. */
export interface Draft {
  readonly id: number;
  readonly request: Request;
  readonly headers: readonly Header[];
  /** The time of arrival, in milliseconds since 1970. */
  readonly time: number;
  /** The time of arrival, in milliseconds since the start of the program. */
  readonly start: number;
  state: RequestEntry["state"];
  /** Absent if nothing was thrown: a handler may throw `undefined`. */
  thrown?: { readonly value: unknown };
  response?: RawResponse;
  /** The end of the response, in milliseconds since the start of the program. */
  end?: number;
  ended?: RequestEntry["ended"];
}

/** The members of an entry that a draft determines. */
export type DraftEntry = Omit<
  RequestEntry,
  "version" | "logs" | "messages" | "messageCount"
>;

const NOT_A_STRING = "a secret in its body is not a string";

/** Describes a request. Nothing leaves the recorder without this function. */
export function entryOf(draft: Draft, secrets: Secrets): DraftEntry {
  const { id, time, start, state, request, response, thrown, ended } = draft;
  const end = draft.end ?? performance.now();
  const record = recordOf(request);
  const { operation } = record ?? {};
  const { params = {}, wildcardParams, validated = {} } = request as Partial<
    FrameworkRequest
  >;
  const isRoute = operation !== undefined && operation.pattern !== "no route";
  const url = request.url.slice(request.url.indexOf("/", "https://".length));
  const hide = (text: string) => secrets.leaveOut(text);
  secrets.hasNumber = false;
  const sent = {
    // The parameters of the path are unknown before its route is.
    url: operation === undefined && state === "running"
      ? "…"
      : secrets.url(url, params),
    params: secrets.value({ ...params }) as Record<string, string>,
    request: {
      headers: secrets.headers(draft.headers),
      ...bodyOf(draft, record, secrets),
    },
  };
  const hasNumber = secrets.hasNumber as boolean;
  const parts = sent.request.body?.text === undefined
    ? { ...validated, body: undefined }
    : validated;
  return {
    id,
    state,
    time: new Date(time).toISOString(),
    method: request.method,
    ...sent,
    ...(isRoute && { route: operation.pattern }),
    ...(operation && { file: operation.file }),
    isDeprecated: operation?.deprecation !== undefined,
    duration: rounded(end - start),
    steps: stepsOf(start, end, record),
    ...(wildcardParams && { wildcardParams: wildcardParams.map(hide) }),
    validated: validatedOf(parts, secrets),
    ...(response && responseOf(response, secrets)),
    issues: issuesOf(thrown?.value).map(({ in: part, pointer, detail }) => ({
      in: part,
      pointer: hide(pointer),
      detail: hide(detail),
    })),
    ...(thrown && { error: errorFor(entryError(thrown.value), secrets) }),
    ...(ended && {
      ended: { ...ended, ...(ended.reason && { reason: hide(ended.reason) }) },
    }),
    secrets: secrets.names,
    ...(hasNumber && { unrepeatable: NOT_A_STRING }),
  };
}

/** The body of the request, if a reader of Bough has read it. */
function bodyOf(
  { headers }: Draft,
  record: RequestRecord | undefined,
  secrets: Secrets,
): Pick<EntryMessage, "body"> {
  const content = record?.body?.content;
  const known = content instanceof Promise ? undefined : content;
  const body = entryBody(headers, known, { secrets });
  return body === undefined ? {} : { body };
}

function responseOf(
  { status, headers, body, size }: RawResponse,
  secrets: Secrets,
): Pick<RequestEntry, "status" | "response"> {
  const shown = entryBody(headers, body, { secrets, size });
  return {
    ...(status !== undefined && { status }),
    response: {
      headers: secrets.headers(headers),
      ...(shown && { body: shown }),
    },
  };
}

function stepsOf(
  start: number,
  end: number,
  record: RequestRecord | undefined,
): EntryStep[] {
  return (record?.timing?.steps ?? []).map((step) => ({
    name: step.step,
    ...(step.file !== undefined && { file: step.file }),
    start: rounded(step.start - start),
    duration: rounded((step.end ?? end) - step.start),
  }));
}

/** The validated values, without long ones and those that JSON cannot express. */
function validatedOf(
  validated: object,
  secrets: Secrets,
): Record<string, unknown> {
  const parts: Record<string, unknown> = {};
  for (const [part, value] of Object.entries(validated)) {
    try {
      const json: string | undefined = JSON.stringify(value);
      if (json === undefined || json.length > MAX_TEXT) continue;
      parts[part] = secrets.value(JSON.parse(json));
    } catch {
      // The value contains a `bigint`, or itself.
    }
  }
  return parts;
}

/** The issues of an error: those of a schema, or those that a handler lists. */
function issuesOf(thrown: unknown): readonly ValidationIssue[] {
  const issues = thrown instanceof HttpError ? thrown.extensions.errors : [];
  return Array.isArray(issues) ? issues.filter(isIssue) : [];
}

function isIssue(value: unknown): value is ValidationIssue {
  return isObject(value) && typeof value.pointer === "string" &&
    typeof value.detail === "string" && typeof value.in === "string";
}

/** Adds the texts for agents to an error and its causes. */
function errorFor(error: EntryError, secrets: Secrets): EntryError {
  const { text, agents = text, cause } = error;
  return {
    ...error,
    text: short(text),
    agents: short(secrets.leaveOut(agents)),
    ...(cause && { cause: errorFor(cause, secrets) }),
  };
}

/** Adds the text for agents to a log. */
export function logFor(log: EntryLog, secrets: Secrets): EntryLog {
  return { ...log, agents: secrets.leaveOut(log.text) };
}

/** Rounds milliseconds to microseconds. */
function rounded(milliseconds: number): number {
  return Math.round(milliseconds * 1_000) / 1_000;
}

/** Returns a text, or the length of a long one: a cut could leave a part of a secret. */
export function short(text: string): string {
  return text.length > MAX_TEXT ? `${text.length} characters` : text;
}
