import { HttpError } from "../errors.ts";
import { keepBody } from "./body.ts";
import { isNestedTooDeeply } from "./nesting.ts";
import {
  bodyKind,
  parseBody,
  type ParsedBody,
  valuesByName,
} from "./parse_body.ts";
import type { FrameworkRequest } from "./request.ts";
import type {
  MethodSchema,
  SchemaPart,
  StandardSchemaIssue,
  StandardSchemaResult,
  StandardSchemaV1,
} from "./schema.ts";

/** One entry of `errors` in the problem that answers an invalid request. */
export interface ValidationIssue {
  /** The part of the request that is concerned. */
  readonly in: SchemaPart;
  /** Where in that part: a JSON pointer as a URI fragment (RFC 6901, section 6). */
  readonly pointer: string;
  /** What is wrong. */
  readonly detail: string;
}

/**
 * Checks all declared parts of a request and puts the outputs of their schemas
 * in `request.validated`.
 *
 * @throws {HttpError} 400 with every issue of every part, 413 or 415.
 */
export async function validate(
  request: FrameworkRequest,
  schema: MethodSchema,
): Promise<void> {
  const outcome: Outcome = { validated: {}, errors: [] };
  const { params, query, headers, body } = schema;
  // Awaited only if it is a promise: most schemas answer at once.
  if (params !== undefined) {
    const result = params["~standard"].validate(request.params);
    take("params", isPromise(result) ? await result : result, outcome);
  }
  if (query !== undefined) {
    const result = query["~standard"].validate(queryValues(request.url));
    take("query", isPromise(result) ? await result : result, outcome);
  }
  if (headers !== undefined) {
    const result = headers["~standard"].validate(headerValues(request.headers));
    take("headers", isPromise(result) ? await result : result, outcome);
  }
  if (body !== undefined) {
    const kind = bodyKind(request);
    const bytes = await request.bytes();
    keepBody(request, bytes);
    const parsed = await parseBody(bytes, kind, request);
    take("body", await checkBody(body, parsed), outcome);
  }

  const { validated, errors } = outcome;
  if (errors.length > 0) {
    throw new HttpError(
      400,
      "The request does not fit the schema of its route",
      { errors },
    );
  }
  request.validated = validated;
}

/** Checks a parsed body; what cannot be parsed or checked is an issue, too. */
function checkBody(
  schema: StandardSchemaV1,
  parsed: ParsedBody,
): SchemaResult | Promise<SchemaResult> {
  if ("malformed" in parsed) return { issues: [{ message: parsed.malformed }] };
  const { value } = parsed;

  function refuseDepth(error: unknown): SchemaResult {
    if (!isNestedTooDeeply(error, value)) throw error;
    return { issues: [{ message: "The body is nested too deeply" }] };
  }

  try {
    const result = schema["~standard"].validate(value);
    return isPromise(result) ? result.catch(refuseDepth) : result;
  } catch (error) {
    return refuseDepth(error);
  }
}

type SchemaResult = StandardSchemaResult<unknown>;

/** What the checks of one request have come to so far. */
interface Outcome {
  readonly validated: Partial<Record<SchemaPart, unknown>>;
  readonly errors: ValidationIssue[];
}

function isPromise<T>(value: T | Promise<T>): value is Promise<T> {
  return value instanceof Promise;
}

function take(
  part: SchemaPart,
  result: SchemaResult,
  { validated, errors }: Outcome,
): void {
  if (result.issues === undefined) {
    validated[part] = result.value;
    return;
  }
  for (const issue of result.issues) {
    errors.push({ in: part, pointer: pointer(issue), detail: issue.message });
  }
}

/** The query of a URL as an object, to be checked by a schema. */
function queryValues(url: string): Record<string, unknown> {
  const start = url.indexOf("?");
  if (start === -1) return Object.create(null);
  // Not after `start`: in `/q#?admin=true` it belongs to the fragment.
  const end = url.indexOf("#");
  const query = url.slice(start, end === -1 ? undefined : end);
  // A `URL` strips tabs, which may come in by `Host: h/q?ad<TAB>min=true&`.
  return valuesByName(new URLSearchParams(query.replaceAll("\t", "")));
}

function headerValues(headers: Headers): Record<string, string> {
  return Object.assign(Object.create(null), Object.fromEntries(headers));
}

/** The path of an issue: `["items", 0, "a/b"]` is `#/items/0/a~1b`. */
export function pointer({ path = [] }: StandardSchemaIssue): string {
  return "#" + path.map((step) => {
    const key = String(typeof step === "object" ? step.key : step);
    const escaped = key.replaceAll("~", "~0").replaceAll("/", "~1");
    return "/" + encodeURIComponent(escaped);
  }).join("");
}
