import {
  bodyType,
  parseBody,
  type ParsedBody,
  typeFault,
} from "../request/body.ts";
import { cookieValues, queryValues, valuesByName } from "../request/form.ts";
import { headerOf } from "../request/inner_request.ts";
import { isPlain } from "../common/values.ts";
import { ownError } from "../own_errors.ts";
import type { Handler, MiddlewareRequest } from "../types/request.ts";
import type {
  MethodSchema,
  SchemaPart,
  StandardSchemaIssue,
  StandardSchemaV1,
} from "../types/schema.ts";
import { declarationOf, type RequestBodies } from "./declaration.ts";
import {
  IssueReport,
  runSchema,
  runWithLists,
  type SchemaResult,
} from "./run_schema.ts";
import { namedMembers } from "./shape.ts";

/** The parts of a request that a schema may check, in the order of checking. */
export const SCHEMA_PARTS: readonly SchemaPart[] = [
  "params",
  "query",
  "headers",
  "cookies",
  "body",
];

/**
 * Checks a request, and adds the outputs to `request.validated`. Returns a promise only
 * if the body is still arriving, or if a schema returns a promise.
 *
 * @throws {HttpError} 400 with the issues of every part, 403, 404, 413 or 415. If the
 * check returns a promise, the promise rejects with the error.
 */
export type Check = (request: MiddlewareRequest) => void | Promise<void>;

/** The schemas of the parts of requests, of a method or a contract. */
type RequestSchemas = Pick<MethodSchema, SchemaPart>;

/**
 * Creates a check of requests against schemas.
 *
 * If several schemas describe the same part, a request must match all of them, and the
 * output of the last schema counts. Outputs are merged by name into the outputs of
 * earlier checks.
 *
 * @param schemas The schemas; only the schemas of a route may have a `body`.
 * @param options The status for an invalid value in the path, the names that a schema of
 * params receives, all by default, and the contracts that were checked before.
 * @returns The check; `undefined` if the schemas do not describe requests.
 */
export function createCheck(
  schemas: readonly RequestSchemas[],
  { invalidParams, paramNames, outer = [] }: {
    readonly invalidParams: 400 | 404;
    readonly paramNames?: readonly string[];
    readonly outer?: readonly RequestSchemas[];
  },
): Check | undefined {
  const readers: Readers = paramNames === undefined
    ? READERS
    : { ...READERS, params: pickParams(paramNames) };
  const steps = schemas.flatMap((schemas) =>
    SCHEMA_PARTS.flatMap((part): Step[] => {
      const schema = schemas[part];
      if (schema === undefined) return [];
      if (part === "body") {
        // A streamed body is read later, around the handler.
        return isStreamedSchema(schema)
          ? []
          : [bodyStep(declarationOf(schemas).body!)];
      }
      const only = schema as StandardSchemaV1;
      const read = part === "headers" ? headerReader(only) : readers[part];
      return [{
        part,
        schema: only,
        run: part === "query"
          ? (request) => runWithLists(only, () => read(request), part)
          : (request) => runSchema(only, read(request), part),
        isHidden: part === "params" && invalidParams === 404,
        outer: outer.map((each) => each[part] as StandardSchemaV1)
          .filter((each) => each !== undefined),
      }];
    })
  );
  return steps.length === 0
    ? undefined
    : (request) => runSteps(request, steps, new Outcome());
}

/**
 * A schema that reads the body itself, such as `form()` of `@bough/framework/uploads`,
 * so that a body may be larger than the memory.
 *
 * @typeParam Input The value that a client sends.
 * @typeParam Output The value in `validated.body`.
 */
export interface StreamedSchema<Input = unknown, Output = unknown>
  extends StandardSchemaV1<Input, Output> {
  /** The media types of the body, with the types of the files of a form. */
  readonly content: Readonly<
    Record<string, { readonly encoding?: FormEncoding }>
  >;
  /** The greatest number of parts, if the body is a form. */
  readonly maxParts?: number;
  /** Wraps a handler: reads the body for the handler, and ends the reading after it. */
  readonly streamBody: (handler: Handler) => Handler;
}

/** The media types of the files in a form, by field, as OpenAPI describes them. */
export type FormEncoding = Readonly<
  Record<string, { readonly contentType: string }>
>;

/** An issue of a streamed body that is rejected while it arrives, with 413 or 415. */
export interface StreamedIssue extends StandardSchemaIssue {
  readonly status?: number;
}

/** Whether a schema of a body reads the body itself. */
export function isStreamedSchema(
  schema: MethodSchema["body"],
): schema is StreamedSchema {
  return schema !== undefined && "streamBody" in schema;
}

/** The media types of the bodies that a method reads; an empty list without a schema. */
export function acceptedTypes(schema: MethodSchema): string[] {
  if (isStreamedSchema(schema.body)) return Object.keys(schema.body.content);
  const { contents = [] } = declarationOf(schema).body ?? {};
  return contents.map(({ mediaType }) => mediaType);
}

/** The check of one part of a request. */
interface Step {
  readonly part: SchemaPart;
  readonly schema: StandardSchemaV1;
  /** Reads and checks the part. */
  readonly run: PartCheck;
  /** Whether an invalid value gets the 404 of a path without a route. */
  readonly isHidden?: boolean;
  /** The schemas of the same part in outer contracts. */
  readonly outer?: readonly StandardSchemaV1[];
}

type PartCheck = (
  request: MiddlewareRequest,
  outputs: Outputs,
) => SchemaResult | Promise<SchemaResult>;

function bodyStep(
  { contents, find, untyped, isVaried }: RequestBodies,
): Step {
  const accepted = contents.map(({ mediaType }) => mediaType);
  return {
    part: "body",
    schema: untyped.schema,
    run(request, outputs) {
      const type = bodyType(request);
      const found = find(type.media);
      // The type of an empty body does not matter.
      const { mediaType, schema } = found ?? untyped;
      if (isVaried) outputs.bodyType = mediaType;
      const fault = typeFault(type, found?.mediaType, accepted);
      const parsed = parseBody(request, type, fault);
      return parsed instanceof Promise
        ? parsed.then((parsed) => checkParsed(parsed, schema))
        : checkParsed(parsed, schema);
    },
  };
}

type PartReader = (request: MiddlewareRequest) => Record<string, unknown>;

type Readers = Readonly<Record<"params" | "query" | "cookies", PartReader>>;

/** Reads only the params with these names. */
function pickParams(names: readonly string[]): PartReader {
  return ({ params }) => {
    const picked: Record<string, unknown> = Object.create(null);
    for (const name of names) picked[name] = params[name];
    return picked;
  };
}

/** The readers of the path, the query and the cookies. */
const READERS: Readers = {
  params: (request) => request.params,
  query: (request) => queryValues(request.url),
  cookies: (request) => cookieValues(headerOf(request, "cookie") ?? ""),
};

/** The names of headers that `Headers` accepts, in lowercase. */
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9a-z-]+$/;

/**
 * Creates the reader of headers for a schema. A schema that drops undeclared headers gets
 * only those that it names, since reading 2 of 5 headers takes half the time of reading
 * all (`deno bench -A tests/instruments/bench/check_request_bench.ts`).
 */
function headerReader(schema: StandardSchemaV1): PartReader {
  let read: PartReader | undefined;
  // The first request finds the names, since a getter of the schema may throw.
  return (request) => (read ??= readerOf(onlyNames(schema)))(request);
}

function readerOf(names: readonly string[] | undefined): PartReader {
  if (names === undefined) return allHeaders;
  const readable = names.filter((name) => HEADER_NAME.test(name));
  return (request) => {
    const values: Record<string, unknown> = Object.create(null);
    for (const name of readable) {
      const value = headerOf(request, name);
      if (value !== null) values[name] = value;
    }
    return values;
  };
}

/** The headers by name. `Object.fromEntries(headers)` alone takes twice as long. */
function allHeaders({ headers }: Request): Record<string, unknown> {
  const values: Record<string, unknown> = Object.create(null);
  headers.forEach((value, name) => values[name] = value);
  return values;
}

/** A schema of zod, as far as it says whether it is a plain object. */
interface ZodObject {
  readonly _zod?: {
    readonly def: {
      readonly type: string;
      readonly shape?: object;
      /** The schema of undeclared members. */
      readonly catchall?: unknown;
    };
  };
}

/**
 * The names that a plain object of zod reads. It drops other members before it calls a
 * function of the user. The result is `undefined` for all other schemas: in Valibot, a
 * function may get the whole value even then.
 */
function onlyNames(schema: StandardSchemaV1): readonly string[] | undefined {
  const { type, shape, catchall } = (schema as ZodObject)._zod?.def ?? {};
  return type === "object" && shape !== undefined && catchall === undefined
    ? Object.keys(shape)
    : undefined;
}

/** Checks a parsed body; a malformed body is an issue, too. */
function checkParsed(
  parsed: ParsedBody,
  schema: StandardSchemaV1,
): SchemaResult | Promise<SchemaResult> {
  if ("malformed" in parsed) return { issues: [{ message: parsed.malformed }] };
  return "form" in parsed
    ? runWithLists(schema, () => valuesByName(parsed.form), "body")
    : runSchema(schema, parsed.value, "body");
}

type Outputs = Partial<Record<SchemaPart | "bodyType", unknown>>;

/** The outputs and issues of one request so far. */
class Outcome {
  readonly validated: Outputs = {};
  /** The number of completed steps. */
  done = 0;
  report: IssueReport | undefined;

  add({ part, isHidden }: Step, result: SchemaResult): void {
    this.done++;
    if (result.issues === undefined) this.validated[part] = result.value;
    else if (isHidden) throw ownError("NotFound");
    else (this.report ??= new IssueReport()).add(part, result.issues);
  }
}

/** Runs the remaining steps, and sets the outputs after the last step. */
function runSteps(
  request: MiddlewareRequest,
  steps: readonly Step[],
  outcome: Outcome,
): void | Promise<void> {
  while (outcome.done < steps.length) {
    const step = steps[outcome.done]!;
    const result = step.run(request, outcome.validated);
    // Awaiting costs time, and few steps return a promise.
    if (result instanceof Promise) {
      return result.then((result) => {
        outcome.add(step, result);
        return runSteps(request, steps, outcome);
      });
    }
    outcome.add(step, result);
  }
  const { validated, report } = outcome;
  if (report !== undefined && report.count > 0) throw report.error();
  const outer: Outputs = request.validated;
  for (const part in outer) {
    const name = part as SchemaPart;
    const step = steps.findLast(({ part }) => part === name);
    validated[name] = step === undefined
      ? outer[name]
      : mergeByName(outer[name], validated[name], step);
  }
  request.validated = validated;
}

/**
 * Merges two outputs by name. A member that an outer schema names stays, unless the inner
 * schema names it, too. So the raw `limit: "7"` of a loose schema does not replace the
 * number from a contract.
 *
 * An inner value other than a plain object, such as a `Map`, replaces the outer value,
 * since a copy of its members would be empty.
 */
function mergeByName(
  outer: unknown,
  inner: unknown,
  { schema, outer: schemas = [] }: Step,
): unknown {
  if (inner === undefined) return outer;
  if (!isPlain(outer) || !isPlain(inner)) return inner;
  const merged = { ...outer, ...inner };
  for (const name in outer) {
    const stays = !namedMembers(schema).certain.has(name) &&
      schemas.some((each) => namedMembers(each).possible.has(name));
    if (stays) merged[name] = outer[name];
  }
  return merged;
}
