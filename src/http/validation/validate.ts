import { HttpError } from "../http_error.ts";
import { readAsJson, readSharedBytes } from "../body/readers.ts";
import { IssueReport } from "./issue_report.ts";
import {
  bodyKind,
  parseBody,
  parsedBefore,
  type ParsedBody,
  valuesByName,
} from "../body/parse.ts";
import type { FrameworkRequest } from "../request.ts";
import { runSchema, type SchemaResult } from "./run_schema.ts";
import type { MethodSchema, SchemaPart, StandardSchemaV1 } from "./schema.ts";

/**
 * Checks all parts of a request that have a schema, and sets the outputs as
 * `request.validated`.
 *
 * @throws {HttpError} 400 with the issues of every part, 413 or 415.
 */
export async function validate(
  request: FrameworkRequest,
  schema: MethodSchema,
): Promise<void> {
  const outcome: Outcome = { validated: {}, report: new IssueReport() };
  const { params, query, headers, body } = schema;
  // To await costs time, and few schemas return a promise.
  if (params !== undefined) {
    const result = runSchema(params, request.params, "params");
    record("params", isPromise(result) ? await result : result, outcome);
  }
  if (query !== undefined) {
    const result = runSchema(query, queryValues(request.url), "query");
    record("query", isPromise(result) ? await result : result, outcome);
  }
  if (headers !== undefined) {
    const values = headerValues(request.headers);
    const result = runSchema(headers, values, "headers");
    record("headers", isPromise(result) ? await result : result, outcome);
  }
  if (body !== undefined) {
    const kind = bodyKind(request);
    const json = readAsJson(request);
    const parsed = json === undefined
      ? parseBody(await readSharedBytes(request), kind, request)
      : await parsedBefore(json, request);
    const result = checkBody(body, parsed);
    record("body", isPromise(result) ? await result : result, outcome);
  }

  const { validated, report } = outcome;
  if (report.count > 0) {
    throw new HttpError(
      400,
      "The request does not fit the schema of its route",
      report.members(),
    );
  }
  request.validated = validated;
}

/** Checks a parsed body; a malformed one is an issue, too. */
function checkBody(
  schema: StandardSchemaV1,
  parsed: ParsedBody,
): SchemaResult | Promise<SchemaResult> {
  return "malformed" in parsed
    ? { issues: [{ message: parsed.malformed }] }
    : runSchema(schema, parsed.value, "body");
}

/** The outputs and issues of one request so far. */
interface Outcome {
  readonly validated: Partial<Record<SchemaPart, unknown>>;
  readonly report: IssueReport;
}

function isPromise<T>(value: T | Promise<T>): value is Promise<T> {
  return value instanceof Promise;
}

function record(
  part: SchemaPart,
  result: SchemaResult,
  { validated, report }: Outcome,
): void {
  if (result.issues === undefined) validated[part] = result.value;
  else report.add(part, result.issues);
}

/** The query of a URL as an object, for a schema. */
function queryValues(url: string): Record<string, unknown> {
  const start = url.indexOf("?");
  if (start === -1) return Object.create(null);
  // Not after `start`: in `/q#?admin=true` it belongs to the fragment.
  const end = url.indexOf("#");
  const query = url.slice(start, end === -1 ? undefined : end);
  // A `URL` strips tabs. `Host: h/q?ad<TAB>min=true&` may bring one in.
  return valuesByName(new URLSearchParams(query.replaceAll("\t", "")));
}

function headerValues(headers: Headers): Record<string, string> {
  return Object.assign(Object.create(null), Object.fromEntries(headers));
}
