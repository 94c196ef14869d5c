import { mediaType } from "../../core/common/media_type.ts";
import { isObject } from "../../core/common/values.ts";
import { HttpError, type ValidationIssue } from "../../core/errors.ts";
import type { Operation, TimedStep } from "../../core/request/application.ts";
import { recordOf } from "../../core/request/record.ts";
import type { FrameworkRequest } from "../../core/types/request.ts";
import { type BodyCopy, MAX_TEXT } from "./body_copy.ts";
import { type Header, valueOf } from "./deno_inner.ts";
import type { EntryLog, EntryMessage, RequestEntry } from "./entry.ts";
import { issueValue } from "./issue_value.ts";
import type { IsSecret } from "./secret_names.ts";
import { entryError } from "./stack.ts";

/** A request or a response as sent, with its secrets. */
export interface RawMessage {
  readonly headers: readonly Header[];
  readonly body: BodyCopy;
}

/** The values of a request, with its secrets, until they become an entry. */
export interface Draft {
  readonly id: number;
  /** The time of arrival, in milliseconds since 1970. */
  readonly time: number;
  /** The time of arrival, in milliseconds since the start of the program. */
  readonly start: number;
  readonly method: string;
  readonly url: string;
  readonly request: RawMessage;
  readonly logs: EntryLog[];
  /** Absent if nothing was thrown: a handler may throw `undefined`. */
  thrown?: unknown;
  end?: number;
  status?: number | undefined;
  response?: RawMessage;
  operation?: Operation | undefined;
  steps?: readonly TimedStep[];
  params?: Readonly<Record<string, string>>;
  wildcardParams?: readonly string[] | undefined;
  /** The validated values by part, as JSON. */
  validated?: readonly (readonly [part: string, json: string])[] | undefined;
}

/** Copies the members of a request whose handler has responded. */
export function takeMembers(draft: Draft, request: Request): void {
  const { operation, timing } = recordOf(request) ?? {};
  const { params, wildcardParams, validated } = request as Partial<
    FrameworkRequest
  >;
  draft.end = performance.now();
  draft.operation = operation;
  draft.steps = timing?.steps ?? [];
  draft.params = { ...params };
  draft.wildcardParams = wildcardParams && [...wildcardParams];
  draft.validated = jsonParts(validated);
}

/** Returns the validated values as JSON, without those that JSON cannot express. */
function jsonParts(validated: object | undefined): Draft["validated"] {
  let parts: [string, string][] | undefined;
  for (const part in validated) {
    parts ??= [];
    try {
      const value: unknown = Reflect.get(validated, part);
      const json: string | undefined = JSON.stringify(value);
      if (json !== undefined) parts.push([part, json]);
    } catch {
      // The value contains a `bigint`, or itself.
    }
  }
  return parts;
}

/** Turns a draft into an entry, which still contains the secrets. */
export function entryOf(draft: Draft): RequestEntry {
  const { id, time, start, end = performance.now(), method, url } = draft;
  const { operation, steps = [], params = {}, wildcardParams } = draft;
  const { validated, thrown, logs, status, response } = draft;
  const request = entryMessage(draft.request);
  const isRoute = operation !== undefined && operation.pattern !== "no route";
  const sent = { url, params, request };
  return {
    id,
    version: 0,
    state: "running",
    time: new Date(time).toISOString(),
    method,
    url,
    ...(isRoute && { route: operation.pattern }),
    ...(operation && { file: operation.file }),
    isDeprecated: operation?.deprecation !== undefined,
    ...(status !== undefined && { status }),
    duration: end - start,
    steps: steps.map((step) => ({
      name: step.step,
      ...(step.file !== undefined && { file: step.file }),
      start: step.start - start,
      duration: (step.end ?? end) - step.start,
    })),
    request,
    params,
    ...(wildcardParams && { wildcardParams }),
    ...(validated && {
      validated: Object.fromEntries(
        validated.map(([part, json]) => [part, JSON.parse(json)]),
      ),
    }),
    issues: issuesOf(thrown).map((issue) => {
      const value = issueValue(issue, sent);
      return value === undefined ? issue : { ...issue, value };
    }),
    ...("thrown" in draft && { error: entryError(thrown) }),
    logs,
    ...(response && { response: entryMessage(response) }),
    messages: [],
    messageCount: 0,
    secrets: [],
  };
}

/** Turns a message into JSON, which still contains the secrets. */
export function entryMessage({ headers, body }: RawMessage): EntryMessage {
  const { size, isCut, kept } = body;
  const isDeclared = Number(valueOf(headers, "content-length") ?? 0) > 0 ||
    valueOf(headers, "transfer-encoding") !== undefined;
  if (!isDeclared && size === 0) return { headers };
  const type = mediaType(valueOf(headers, "content-type") ?? null);
  const text = kept > 0 ? body.text : undefined;
  const known = text === undefined ? {} : { text };
  return { headers, body: { type, size, ...known, isCut } };
}

/** The issues of an error: those of a schema, or those that a handler lists. */
function issuesOf(thrown: unknown): readonly ValidationIssue[] {
  const issues = thrown instanceof HttpError ? thrown.extensions.errors : [];
  if (!Array.isArray(issues)) return [];
  // A handler may add members with secrets to an issue.
  return issues.filter(isIssue)
    .map(({ in: part, pointer, detail }) => ({ in: part, pointer, detail }));
}

function isIssue(value: unknown): value is ValidationIssue {
  return isObject(value) && typeof value.pointer === "string" &&
    typeof value.detail === "string" && typeof value.in === "string";
}

/**
 * Whether a draft may contain a secret, or a long text, which takes memory. Most drafts
 * contain none, and this check takes less time than the search for values.
 */
export function mayHoldSecrets(draft: Draft, isSecret: IsSecret): boolean {
  const { url, request, response, logs, thrown } = draft;
  const { params, wildcardParams, validated } = draft;
  const headers = [...request.headers, ...response!.headers];
  const texts = [
    url,
    ...headers.map(([, value]) => value),
    request.body.text ?? "",
    response!.body.text ?? "",
    ...logs.map(({ text }) => text),
    ...(validated ?? []).map(([, json]) => json),
    JSON.stringify([params, wildcardParams]),
  ];
  return thrown !== undefined || headers.some(([name]) => isSecret(name)) ||
    texts.some((text) => text.length > MAX_TEXT || isSecret.mayBeIn(text));
}
