import { checkOptions, listOf, type Members } from "../core/common/forms.ts";
import {
  isInRange,
  MEDIA_TYPE,
  mediaType,
  OCTET_STREAM,
} from "../core/common/media_type.ts";
import { shorten } from "../core/common/values.ts";
import { wrongType } from "../core/own_errors.ts";
import {
  describedSchema,
  type JsonFormOptions,
  type JsonSchema,
} from "../core/schema/json_schema.ts";
import type {
  StreamedIssue,
  StreamedSchema,
} from "../core/schema/check_request.ts";
import type {
  StandardSchemaIssue,
  StandardSchemaV1,
} from "../core/types/schema.ts";
import { streamOf, streamTo } from "./source.ts";

/** A number of bytes, or a size such as `"2GiB"` or `"500kB"`. */
export type Size =
  | number
  | `${number}${"k" | "M" | "G" | "T"}${"" | "i"}B`
  | `${number}KiB`;

/**
 * Options of {@linkcode file}.
 *
 * @typeParam Least The least number of files in the field of a form.
 */
export interface FileOptions<Least extends number = number> {
  /**
   * The size of the largest file.
   *
   * @default {"10MiB"}
   */
  readonly maxSize?: Size;
  /**
   * The media types and ranges, such as `image/*`. The client names the type of each
   * file, so the type says nothing about the bytes.
   *
   * @default {["*\/*"]}
   */
  readonly types?: readonly string[];
  /**
   * The least and the greatest number of files in the field of a form.
   *
   * @default {[1, 1]}
   */
  readonly count?: readonly [min: Least, max: number];
  /**
   * The longest time without a byte, in milliseconds, if the file is the whole body.
   *
   * @default {30_000}
   */
  readonly pause?: number;
}

/**
 * The limits of a file, with its size in bytes.
 *
 * @typeParam Least The least number of files in the field of a form.
 */
export interface FileRule<Least extends number = number>
  extends Required<Pick<FileOptions<Least>, "types" | "count">> {
  /** The size of the largest file, in bytes. */
  readonly maxSize: number;
}

/** A file that is arriving. */
export interface StreamedFile {
  /**
   * The media type that the client names, in lowercase and without parameters;
   * `application/octet-stream` if the client names none (RFC 9110, 8.3).
   */
  readonly type: string;
  /** The bytes. The stream fails if the file exceeds its limits or breaks off. */
  readonly stream: ReadableStream<Uint8Array<ArrayBuffer>>;
}

/**
 * The declaration of a file, which is also the schema of a body that is a file.
 *
 * @typeParam Least The least number of files in the field of a form.
 */
export interface FileSchema<Least extends number = number>
  extends StreamedSchema<Blob, StreamedFile>, FileRule<Least> {}

/**
 * Declares a file that streams: a member of `files` in {@linkcode form}, or a whole
 * body. A file that exceeds its size or has another type is cut off while it arrives.
 * For a whole body, Bough compares the header `Content-Digest` (RFC 9530, `sha-256` and
 * `sha-512`) with the bytes.
 *
 * @param options The limits of the file.
 * @returns The schema. `validated.body` is a {@linkcode StreamedFile}.
 * @throws {TypeError} If an option is unknown or invalid.
 *
 * @example A video as the body of a `PUT`
 * ```ts
 * import type { RouteSchema } from "@bough/framework";
 * import { file } from "@bough/framework/uploads";
 *
 * export const schema = {
 *   put: { body: file({ maxSize: "2GiB", types: ["video/mp4"] }) },
 * } satisfies RouteSchema;
 * ```
 */
export function file<const Least extends number = 1>(
  options: FileOptions<Least> = {},
): FileSchema<NoInfer<Least>> {
  checkOptions("declare a file", options, OPTIONS);
  const { types = ["*/*"], count = [1 as Least, 1], pause = PAUSE } = options;
  const maxSize = sizeOf(options.maxSize ?? "10MiB");
  const rule = { maxSize, types, count };
  return {
    ...rule,
    content: Object.fromEntries(types.map((type) => [type, {}])),
    "~standard": standard(
      "bough-uploads",
      // A value of another kind is sent as JSON, which is another type.
      (value) =>
        issuesOf(value, rule).map((issue) => ({ status: 415, ...issue })),
      () => fileForm(rule),
    ),
    streamBody: (handler) =>
      streamTo(handler, async (request, read) => {
        const type = mediaType(request.headers.get("content-type")) ||
          OCTET_STREAM;
        assertType("The body", type, types);
        return await { type, stream: streamOf(read) };
      }, () => ({ limit: maxSize, pause })),
  };
}

/** The default time without a byte, in milliseconds. */
export const PAUSE = 30_000;

const TYPES = {
  accepts: (value: unknown) =>
    typeof value === "string" && MEDIA_TYPE.test(value) &&
    value === mediaType(value),
  expected: 'must be a media type in lowercase, such as "image/*"',
};

/** The requirement for the option `pause`. */
export const MILLISECONDS = {
  accepts: (value: unknown) => typeof value === "number" && value > 0,
  expected: "must be a positive number of milliseconds",
};

const OPTIONS: Members<keyof FileOptions> = {
  maxSize: {
    accepts: (value) => sizeOf(value as Size) >= 0,
    expected: 'must be a number of bytes or a size, such as "500kB" or "2GiB"',
  },
  types: listOf(TYPES, "must be an array of media types"),
  count: {
    accepts: (value) =>
      Array.isArray(value) && value.length === 2 &&
      value.every(Number.isSafeInteger) && 0 <= value[0] &&
      value[0] <= value[1] && value[1] > 0,
    expected: "must be the least and the greatest number, such as [1, 20]",
  },
  pause: MILLISECONDS,
};

/** The number of bytes; `NaN` for a malformed size. */
function sizeOf(size: Size): number {
  if (typeof size === "number") return Number.isSafeInteger(size) ? size : NaN;
  const [, number, unit, binary] =
    /^(\d+(?:\.\d+)?)([kMGT]|K(?=i))(i?)B$/.exec(size) ?? [];
  const power = " KMGT".indexOf((unit ?? " ").toUpperCase());
  return Math.floor(Number(number) * (binary ? 1024 : 1000) ** power);
}

/** The members of Standard Schema, with a description as JSON Schema. */
export function standard<Input, Output>(
  vendor: string,
  issuesOf: (
    value: unknown,
  ) => StandardSchemaIssue[] | Promise<StandardSchemaIssue[]>,
  describe: (options: JsonFormOptions) => JsonSchema,
): StandardSchemaV1<Input, Output>["~standard"] {
  return describedSchema<Input, Output>(vendor, (value) => {
    const result = (issues: StandardSchemaIssue[]) =>
      issues.length > 0 ? { issues } : { value: value as Output };
    const issues = issuesOf(value);
    return issues instanceof Promise ? issues.then(result) : result(issues);
  }, describe);
}

/** Describes a file as JSON Schema, as zod describes `z.file()`. */
export function fileForm({ maxSize, types }: FileRule): JsonSchema {
  const base = { type: "string", format: "binary", maxLength: maxSize };
  const named = types.filter((type) => type !== "*/*");
  if (named.length === 0) return base;
  return named.length === 1 ? { ...base, contentMediaType: named[0] } : {
    ...base,
    anyOf: named.map((contentMediaType) => ({ contentMediaType })),
  };
}

/** The issues of a file that is in memory, for tools that create requests. */
export function issuesOf(
  value: unknown,
  { maxSize, types }: FileRule,
): StreamedIssue[] {
  if (!(value instanceof Blob)) return [{ message: "Expected a file" }];
  const type = mediaType(value.type) || OCTET_STREAM;
  if (!types.some((range) => isInRange(type, range))) {
    const message = `The file is "${type}"; expected ${types.join(", ")}`;
    return [{ message, status: 415 }];
  }
  const message = `The file is larger than ${maxSize} bytes`;
  return value.size > maxSize ? [{ message, status: 413 }] : [];
}

/** @throws {HttpError} 415 for a type that the declaration excludes. */
export function assertType(
  subject: string,
  type: string,
  types: readonly string[],
): void {
  if (types.some((range) => isInRange(type, range))) return;
  throw wrongType(subject, shorten(type, 100), types.join(", "));
}
