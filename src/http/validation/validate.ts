import { HttpError } from "../http_error.ts";
import { parseBody, type ParsedBody, valuesByName } from "../body/parse.ts";
import type { FrameworkRequest } from "../request.ts";
import { IssueReport } from "./issue_report.ts";
import { runSchema, type SchemaResult } from "./run_schema.ts";
import {
  type MethodSchema,
  SCHEMA_PARTS,
  type SchemaPart,
  type StandardSchemaV1,
} from "./schema.ts";

/**
 * Checks a request, and sets the outputs as `request.validated`. It returns a promise
 * only if something must be awaited: a body that is still arriving, or a schema that
 * returns a promise.
 *
 * @throws {HttpError} 400 with the issues of every part, 403, 413 or 415; or rejects
 * with it.
 */
export type Check = (request: FrameworkRequest) => void | Promise<void>;

/**
 * Creates the check of requests by some schemas.
 *
 * @returns The check; `undefined` if the schemas say nothing about requests. Where
 * several describe the same part, all must fit, and the output of the last one counts.
 */
export function createCheck(
  schemas: readonly MethodSchema[],
): Check | undefined {
  const steps = schemas.flatMap((schema) =>
    SCHEMA_PARTS.flatMap((part) => {
      const partSchema = schema[part];
      return partSchema === undefined ? [] : [createStep(part, partSchema)];
    })
  );
  return steps.length === 0
    ? undefined
    : (request) => runSteps(request, steps, new Outcome());
}

/** The check of one part of a request. */
interface Step {
  readonly part: SchemaPart;
  readonly run: (
    request: FrameworkRequest,
  ) => SchemaResult | Promise<SchemaResult>;
}

function createStep(part: SchemaPart, schema: StandardSchemaV1): Step {
  if (part === "body") {
    return { part, run: (request) => checkBody(request, schema) };
  }
  const read = READERS[part];
  return { part, run: (request) => runSchema(schema, read(request), part) };
}

/** How the parts of a request are read that are there at once. */
const READERS: Readonly<
  Record<
    Exclude<SchemaPart, "body">,
    (request: FrameworkRequest) => Record<string, unknown>
  >
> = {
  params: (request) => request.params,
  query: (request) => queryValues(request.url),
  headers: (request) => headerValues(request.headers),
};

function checkBody(
  request: FrameworkRequest,
  schema: StandardSchemaV1,
): SchemaResult | Promise<SchemaResult> {
  const parsed = parseBody(request);
  return parsed instanceof Promise
    ? parsed.then((parsed) => checkParsed(parsed, schema))
    : checkParsed(parsed, schema);
}

/** Checks a parsed body; a malformed one is an issue, too. */
function checkParsed(
  parsed: ParsedBody,
  schema: StandardSchemaV1,
): SchemaResult | Promise<SchemaResult> {
  return "malformed" in parsed
    ? { issues: [{ message: parsed.malformed }] }
    : runSchema(schema, parsed.value, "body");
}

/** The outputs and issues of one request so far. */
class Outcome {
  readonly validated: Partial<Record<SchemaPart, unknown>> = {};
  /** How many steps are done. */
  done = 0;
  report: IssueReport | undefined;

  add(part: SchemaPart, result: SchemaResult): void {
    this.done++;
    if (result.issues === undefined) this.validated[part] = result.value;
    else (this.report ??= new IssueReport()).add(part, result.issues);
  }
}

/** Takes the steps that are left, and sets the outputs after the last one. */
function runSteps(
  request: FrameworkRequest,
  steps: readonly Step[],
  outcome: Outcome,
): void | Promise<void> {
  while (outcome.done < steps.length) {
    const { part, run } = steps[outcome.done]!;
    const result = run(request);
    // To await costs time, and few steps return a promise.
    if (result instanceof Promise) {
      return result.then((result) => {
        outcome.add(part, result);
        return runSteps(request, steps, outcome);
      });
    }
    outcome.add(part, result);
  }
  const { validated, report } = outcome;
  if (report !== undefined && report.count > 0) {
    throw new HttpError(
      400,
      "The request does not fit the schema of its route",
      report.members(),
    );
  }
  request.validated = validated;
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
