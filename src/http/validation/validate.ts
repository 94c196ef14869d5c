import { HttpError } from "../http_error.ts";
import { parseBody, type ParsedBody, valuesByName } from "../body/parse.ts";
import type { MiddlewareRequest } from "../request.ts";
import { IssueReport } from "./issue_report.ts";
import { runSchema, type SchemaResult } from "./run_schema.ts";
import {
  type MethodSchema,
  SCHEMA_PARTS,
  type SchemaPart,
  type StandardSchemaV1,
} from "./schema.ts";

/**
 * Checks a request, and adds the outputs to `request.validated`. It returns a promise
 * only if something must be awaited: a body that is still arriving, or a schema that
 * returns a promise.
 *
 * @throws {HttpError} 400 with the issues of every part, 403, 413 or 415; or rejects
 * with it.
 */
export type Check = (request: MiddlewareRequest) => void | Promise<void>;

/**
 * Creates the check of requests by some schemas.
 *
 * What earlier checks of a request have added stays: within one part, the values of
 * this check win by name. Where several of these schemas describe the same part, all
 * must fit, and the output of the last one counts.
 *
 * @param schemas The schemas; `body` is for those of a route.
 * @param paramNames The names that a schema of params sees; all by default.
 * @returns The check; `undefined` if the schemas say nothing about requests.
 */
export function createCheck(
  schemas: readonly Pick<MethodSchema, SchemaPart>[],
  paramNames?: readonly string[],
): Check | undefined {
  const readers = paramNames === undefined
    ? READERS
    : { ...READERS, params: pickParams(paramNames) };
  const steps: Step[] = [];
  for (const schema of schemas) {
    for (const part of SCHEMA_PARTS) {
      const partSchema = schema[part];
      if (partSchema === undefined) continue;
      const run = part === "body"
        ? checkBodyBy(partSchema)
        : checkPartBy(partSchema, part, readers[part]);
      steps.push({ part, run });
    }
  }
  return steps.length === 0
    ? undefined
    : (request) => runSteps(request, steps, new Outcome());
}

/** The check of one part of a request. */
interface Step {
  readonly part: SchemaPart;
  readonly run: (
    request: MiddlewareRequest,
  ) => SchemaResult | Promise<SchemaResult>;
}

type PartReader = (request: MiddlewareRequest) => Record<string, unknown>;

function checkPartBy(
  schema: StandardSchemaV1,
  part: SchemaPart,
  read: PartReader,
): Step["run"] {
  return (request) => runSchema(schema, read(request), part);
}

/** Reads the params with these names, whatever else the path holds. */
function pickParams(names: readonly string[]): PartReader {
  return ({ params }) => {
    const picked: Record<string, unknown> = Object.create(null);
    for (const name of names) picked[name] = params[name];
    return picked;
  };
}

/** How the parts of a request are read that are there at once. */
const READERS: Readonly<Record<Exclude<SchemaPart, "body">, PartReader>> = {
  params: (request) => request.params,
  query: (request) => queryValues(request.url),
  headers: (request) => headerValues(request.headers),
};

function checkBodyBy(schema: StandardSchemaV1): Step["run"] {
  return (request) => {
    const parsed = parseBody(request);
    return parsed instanceof Promise
      ? parsed.then((parsed) => checkParsed(parsed, schema))
      : checkParsed(parsed, schema);
  };
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

type Outputs = Partial<Record<SchemaPart, unknown>>;

/** The outputs and issues of one request so far. */
class Outcome {
  readonly validated: Outputs = {};
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
  request: MiddlewareRequest,
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
  const outer: Outputs = request.validated;
  for (const part in outer) {
    const name = part as SchemaPart;
    validated[name] = mergeByName(outer[name], validated[name]);
  }
  request.validated = validated;
}

/**
 * The nearer value wins by name: `{ a: 1, b: 1 }` and `{ b: 2 }` give `{ a: 1, b: 2 }`.
 * A value that is no plain object, such as a `Map` or a `Date`, wins as a whole: a copy
 * of its members would be empty.
 */
function mergeByName(outer: unknown, inner: unknown): unknown {
  if (inner === undefined) return outer;
  return isPlain(outer) && isPlain(inner) ? { ...outer, ...inner } : inner;
}

function isPlain(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
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
