import { MAX_HEADERS } from "../core/request/form.ts";
import { valuesByName } from "../core/request/form.ts";
import {
  checkOptions,
  type Members,
  recordOf,
  SCHEMA,
} from "../core/common/forms.ts";
import { mediaType, MULTIPART } from "../core/common/media_type.ts";
import { isObject, isStandardSchema, shorten } from "../core/common/values.ts";
import { ownError, tooLarge } from "../core/own_errors.ts";
import {
  jsonFormOf,
  type JsonSchema,
  resolveRoot,
} from "../core/schema/json_schema.ts";
import {
  memberOf,
  runWithLists,
  type SchemaResult,
} from "../core/schema/run_schema.ts";
import type {
  FormEncoding,
  StreamedIssue,
  StreamedSchema,
} from "../core/schema/check_request.ts";
import type { SchemaInput, SchemaOutput } from "../core/types/responses.ts";
import type {
  StandardSchemaIssue,
  StandardSchemaV1,
} from "../core/types/schema.ts";
import {
  assertType,
  fileForm,
  type FileSchema,
  issuesOf,
  MILLISECONDS,
  PAUSE,
  standard,
  type StreamedFile,
} from "./file.ts";
import { type Part, readParts } from "./parts.ts";
import { invalid, type ReadBytes, streamOf, streamTo } from "./source.ts";

/** The declared files of a form, by the name of their field. */
export type FileSchemas = Readonly<Record<string, FileSchema>>;

/** Options of {@linkcode form}. */
export interface FormOptions<
  Fields extends StandardSchemaV1,
  Files extends FileSchemas,
> {
  /** Checks the fields that are not files: an object of strings by name. */
  readonly fields?: Fields;
  /** The files, by the name of their field. */
  readonly files: Files;
  /**
   * The longest time without a byte, in milliseconds.
   *
   * @default {30_000}
   */
  readonly pause?: number;
}

/** A file of a form, while it arrives. */
export interface FormFile<Field extends string = string> extends StreamedFile {
  /** The name of the field. */
  readonly field: Field;
  /**
   * The last segment of the name that the client sent, without control characters.
   * Clients choose this name, so do not use it as the name of a file.
   */
  readonly name: string;
}

/** The validated body of a form. */
export interface StreamedForm<Fields, Field extends string = string> {
  /** The output of the schema of the fields. */
  readonly fields: Fields;
  /**
   * The files in the order of arrival, to be read once. A file that the handler skips is
   * read and dropped.
   */
  readonly files: AsyncIterable<FormFile<Field>>;
}

/**
 * The members that a client sends. A file may be missing if its `count` begins with 0,
 * or if its type does not show how `count` begins.
 */
export type FormInput<
  Fields extends StandardSchemaV1,
  Files extends FileSchemas,
> =
  & SchemaInput<Fields>
  & {
    readonly [
      Field in keyof Files as 0 extends Files[Field]["count"][0] ? Field : never
    ]?: Blob | readonly Blob[];
  }
  & {
    readonly [
      Field in keyof Files as 0 extends Files[Field]["count"][0] ? never : Field
    ]: Blob | readonly Blob[];
  };

/**
 * Declares a form. Bough validates its fields before the handler runs, and streams its
 * files to the handler. Clients send the fields first: a file before a required field
 * gets 400. A file with another type, or above its size or number, is cut off while it
 * arrives.
 *
 * @param options The schema of the fields, and the declared files.
 * @returns The schema. `validated.body` is a {@linkcode StreamedForm}.
 * @throws {TypeError} If an option is unknown or invalid.
 *
 * @example Usage
 * ```ts
 * import type { RouteSchema } from "@bough/framework";
 * import { file, form } from "@bough/framework/uploads";
 * import { z } from "zod";
 *
 * export const schema = {
 *   post: {
 *     body: form({
 *       fields: z.object({ title: z.string() }),
 *       files: { photo: file({ maxSize: "2GiB", types: ["image/*"], count: [1, 20] }) },
 *     }),
 *   },
 * } satisfies RouteSchema;
 * ```
 */
export function form<
  const Files extends FileSchemas,
  Fields extends StandardSchemaV1 = StandardSchemaV1<unknown, unknown>,
>(options: FormOptions<Fields, Files>): StreamedSchema<
  FormInput<Fields, Files>,
  StreamedForm<SchemaOutput<Fields>, keyof Files & string>
> {
  checkOptions("declare a form", options, OPTIONS);
  const { fields, files, pause = PAUSE } = options;
  let maxParts = MAX_FIELDS;
  let bytes = 0;
  for (const { count, maxSize } of Object.values(files)) {
    maxParts += count[1];
    bytes += count[1] * (maxSize + MAX_HEADERS);
  }
  return {
    maxParts,
    content: { [MULTIPART]: { encoding: encodingOf(files) } },
    "~standard": standard(
      fields?.["~standard"].vendor ?? "bough-uploads",
      (value) => issuesOfForm(value, options),
      (target) =>
        formForm(fields ? jsonFormOf(fields)?.input(target) : {}, files),
    ),
    streamBody: (handler) =>
      streamTo(handler, (request, read, bodyLimit) => {
        const parts = partsOf(read, request.headers, maxParts);
        return openForm(parts, options, bodyLimit);
      }, (bodyLimit) => ({ limit: bodyLimit + bytes, pause })),
  };
}

const MAX_FIELDS = 1_000;

const OPTIONS: Members<keyof FormOptions<StandardSchemaV1, FileSchemas>> = {
  fields: SCHEMA,
  files: recordOf(
    {
      accepts: (value) => isStandardSchema(value) && "maxSize" in Object(value),
      expected: "must be file()",
    },
    "must be an object of files that file() declares",
  ),
  pause: MILLISECONDS,
};

type Declared = FormOptions<StandardSchemaV1, FileSchemas>;

/**
 * Reads the parts of a form. An empty body, whatever its type, has none.
 *
 * @throws {HttpError} 415 for another type, and the errors of `readParts`.
 */
async function* partsOf(
  read: ReadBytes,
  headers: Headers,
  maxParts: number,
): AsyncGenerator<Part, void> {
  const type = headers.get("content-type") ?? "";
  const assertForm = () => assertType("The body", mediaType(type), [MULTIPART]);
  // Bough rejects a body of another type before reading it, if its length is known.
  if (Number(headers.get("content-length")) > 0) assertForm();
  let first = await read();
  if (first === undefined) return;
  assertForm();
  const readFromFirst = async () => {
    const chunk = first;
    first = undefined;
    return chunk ?? await read();
  };
  yield* readParts(readFromFirst, type, maxParts);
}

/** Reads and validates the fields of a form, up to the first file. */
async function openForm(
  parts: AsyncGenerator<Part, void>,
  { fields, files }: Declared,
  bodyLimit: number,
): Promise<StreamedForm<unknown>> {
  const data = new FormData();
  let rest = bodyLimit;
  let count = 0;
  let part;
  while ((part = (await parts.next()).value) && part.name === undefined) {
    if (++count > MAX_FIELDS) {
      const detail = `The form has more than ${MAX_FIELDS} fields`;
      throw ownError("ContentTooLarge", detail);
    }
    const chunks = [];
    rest -= part.size;
    for (let chunk; rest >= 0 && (chunk = await part.read()) !== undefined;) {
      rest -= chunk.length;
      chunks.push(chunk);
    }
    if (rest < 0) throw tooLarge("The fields", bodyLimit);
    data.append(part.field, await new Blob(chunks).text());
  }
  const wrong = Object.keys(files).filter((field) => {
    const isSent = data.getAll(field).some(Boolean);
    data.delete(field);
    return isSent;
  });
  const values = () => valuesByName(data);
  const result = fields
    ? await runWithLists(fields, values, "body")
    : { value: values() };
  // A field that is missing before a file may come after the file.
  const isLate = (name: string | undefined) =>
    part && name !== undefined && !data.has(name);
  const issues = [
    ...(result.issues ?? []).map((issue) =>
      isLate(memberOf(issue))
        ? { ...issue, message: `${issue.message}; send fields before files` }
        : issue
    ),
    ...wrong.map((field) => ({ path: [field], message: "Expected a file" })),
    ...part ? [] : missingFiles(files, new Map()),
  ];
  if (result.issues !== undefined || issues.length > 0) {
    throw invalid(...issues);
  }
  return { fields: result.value, files: readFiles(part, parts, files) };
}

async function* readFiles(
  first: Part | void,
  parts: AsyncGenerator<Part, void>,
  declared: FileSchemas,
): AsyncGenerator<FormFile, void> {
  const counts = new Map<string, number>();
  for (
    let part = first;
    part !== undefined;
    part = (await parts.next()).value
  ) {
    const { field, name, type } = part;
    if (!Object.hasOwn(declared, field)) {
      const message = name === undefined
        ? "Fields must precede the files"
        : "Unknown file";
      throw invalid({ path: [shorten(field, 100)], message });
    }
    if (name === undefined) {
      if (await part.read() === undefined) continue;
      throw invalid({ path: [field], message: "Expected a file" });
    }
    const { maxSize, types, count: [_, most] } = declared[field]!;
    const count = (counts.get(field) ?? 0) + 1;
    counts.set(field, count);
    if (count > most) {
      const detail = `The form has more than ${most} files in "${field}"`;
      throw ownError("ContentTooLarge", detail);
    }
    assertType(`A file of "${field}"`, type, types);
    let isDropped = false;
    const stream = streamOf(limited(part, maxSize, () => isDropped));
    yield { field, name: baseName(name), type, stream };
    isDropped = true;
    while (await part.read() !== undefined);
  }
  const issues = missingFiles(declared, counts);
  if (issues.length > 0) throw invalid(...issues);
}

/** Reads a file up to a size, unless the loop has dropped it. */
function limited(
  { field, read }: Part,
  maxSize: number,
  isDropped: () => boolean,
): ReadBytes {
  let rest = maxSize;
  // With another `async` function around this one, the parser would read the next chunk
  // before the handler writes this one, which costs a third of the speed
  // (`tests/instruments/bench/uploads/main.ts`).
  return async () => {
    const chunk = await read();
    // Otherwise the handler would save an incomplete file.
    if (isDropped()) {
      throw new TypeError(
        `Cannot read a file of "${field}": the loop has gone on, which drops the rest; read each file before the next one`,
      );
    }
    rest -= chunk?.length ?? 0;
    if (rest >= 0) return chunk;
    throw tooLarge(`A file of "${field}"`, maxSize);
  };
}

/** The last segment of a path, without control characters. */
function baseName(name: string): string {
  return shorten(name.replace(/^.*[/\\]|\p{Cc}/gsu, ""), 255);
}

/** The issues for fields with too few files. */
function missingFiles(
  files: FileSchemas,
  counts: ReadonlyMap<string, number>,
): StandardSchemaIssue[] {
  return Object.entries(files).flatMap(([field, { count: [least] }]) => {
    const count = counts.get(field) ?? 0;
    const message = `Expected at least ${least} files, received ${count}`;
    return count < least ? [{ message, path: [field] }] : [];
  });
}

/**
 * The issues of a form that is in memory, for tools that create requests. An absent body
 * is `undefined`; it has no issues if all fields and files are optional.
 */
function issuesOfForm(
  value: unknown = {},
  { fields, files }: Declared,
): StandardSchemaIssue[] | Promise<StandardSchemaIssue[]> {
  if (!isObject(value)) return [{ message: "Expected a form" }];
  const rest = { ...value };
  const counts = new Map<string, number>();
  const issues: StreamedIssue[] = [];
  for (const [field, rule] of Object.entries(files)) {
    const sent = [rest[field]].flat()
      .filter((each) => each !== undefined && each !== "");
    delete rest[field];
    counts.set(field, sent.length);
    if (sent.length > rule.count[1]) {
      issues.push({ message: "Too many files", path: [field], status: 413 });
    }
    for (const issue of sent.flatMap((each) => issuesOf(each, rule))) {
      issues.push({ ...issue, path: [field] });
    }
  }
  issues.push(...missingFiles(files, counts));
  if (fields === undefined) return issues;
  const result = runWithLists(fields, () => ({ ...rest }), "body");
  const all = (result: SchemaResult) => [...result.issues ?? [], ...issues];
  return result instanceof Promise ? result.then(all) : all(result);
}

function encodingOf(files: FileSchemas): FormEncoding {
  return Object.fromEntries(
    Object.entries(files).filter(([_, { types }]) => !types.includes("*/*"))
      .map(([field, { types }]) => [field, { contentType: types.join(", ") }]),
  );
}

/**
 * Describes a form as JSON Schema.
 *
 * @throws {TypeError} If the library of the fields has no JSON Schema.
 */
function formForm(
  fields: JsonSchema | undefined,
  files: FileSchemas,
): JsonSchema {
  if (fields === undefined) {
    throw new TypeError("The schema of the fields has no JSON Schema");
  }
  const { properties, required = [], ...rest } = resolveRoot(fields);
  const all = { ...Object(properties) };
  const needed = [required].flat();
  for (const [field, rule] of Object.entries(files)) {
    const [minItems, maxItems] = rule.count;
    const items = fileForm(rule);
    all[field] = maxItems === 1
      ? items
      : { type: "array", items, minItems, maxItems };
    if (minItems > 0) needed.push(field);
  }
  return { ...rest, type: "object", properties: all, required: needed };
}
