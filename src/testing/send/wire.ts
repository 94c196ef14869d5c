import type { SchemaPart } from "../../types/schema.ts";
import type { Captures } from "../operation.ts";

/**
 * Whether a path can carry the values of its segments. URLs resolve `.` and `..`, and Bough
 * cannot match an empty segment, NUL or a lone surrogate. An entry of a wildcard must not
 * contain a separator.
 */
export function isCarried({ params, wildcard }: Captures): boolean {
  return Object.values(params).every(isSegment) &&
    wildcard.every((entry) => isSegment(entry) && !/[/\\]/.test(entry));
}

function isSegment(text: string): boolean {
  return text !== "" && text !== "." && text !== ".." &&
    !text.includes("\0") && text.isWellFormed();
}

/**
 * Whether headers can carry these values unchanged. Surrounding spaces, for example,
 * would be lost.
 */
export function areHeaders(values: object): boolean {
  return Object.entries(values).every(([name, value]) =>
    /^[!#$%&'*+\-.^`|~\w]+$/.test(name) && typeof value === "string" &&
    /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(value)
  );
}

/**
 * The value of a part as HTTP carries it. Headers and queries are strings; the values
 * of a repeated name in a query are an array.
 */
export function asCarried(part: SchemaPart, value: unknown): unknown {
  if (part !== "query" && part !== "headers") return value;
  const entries = Object.entries(value as object).flatMap(([name, each]) => {
    if (part === "headers") {
      return each === undefined ? [] : [[name.toLowerCase(), stringOf(each)]];
    }
    const strings = [each].flat().filter((each) => each !== undefined)
      .map(stringOf);
    const carried = strings.length === 1 ? strings[0] : strings;
    return strings.length === 0 ? [] : [[name.toWellFormed(), carried]];
  });
  return Object.fromEntries(entries);
}

/**
 * Converts a value to a string. Converts objects to JSON, since their `toString` may be
 * a value other than a function.
 */
function stringOf(value: unknown): string {
  const isObject = typeof value === "object" && value !== null;
  return (isObject ? JSON.stringify(value) : String(value)).toWellFormed();
}

export const JSON_TYPE = "application/json";

const URLENCODED = "application/x-www-form-urlencoded";

/** The media type of a form that may have files. */
export const MULTIPART = "multipart/form-data";

const BOUNDARY = "bough-boundary";

/**
 * The contents of generated files. They are kept because a `File` can be read only
 * asynchronously.
 */
const fileContents = new WeakMap<File, string>();

/** Creates a file with known content. */
export function fileOf(text: string, type: string): File {
  const file = new File([text], "file.txt", { type });
  fileContents.set(file, text);
  return file;
}

/** The text of a body, and its `Content-Type`. */
export function bodyOf(
  value: unknown,
  type?: string,
): { readonly text: string; readonly type: string } | undefined {
  if (value === undefined) return undefined;
  const sent = typeOf(value, type);
  if (sent !== MULTIPART && sent !== URLENCODED) {
    return { text: JSON.stringify(value), type: JSON_TYPE };
  }
  const entries = entriesOf(value);
  if (sent === MULTIPART) {
    const text = `${entries.map(partText).join("")}--${BOUNDARY}--\r\n`;
    return { text, type: `${MULTIPART}; boundary=${BOUNDARY}` };
  }
  const strings = entries.map(([name, each]) => [name, String(each)]);
  return { text: `${new URLSearchParams(strings)}`, type: sent };
}

/** One part of a form that may have files. */
function partText([name, value]: [string, string | File]): string {
  const [file, text] = value instanceof File
    ? [
      `; filename="${value.name}"\r\ncontent-type: ${value.type}`,
      fileContents.get(value),
    ]
    : ["", value];
  // The HTML Standard escapes a name in this way.
  const escaped = name.replaceAll(/[\r\n"]/g, encodeURIComponent);
  return `--${BOUNDARY}\r\ncontent-disposition: form-data; name="${escaped}"${file}\r\n\r\n${text}\r\n`;
}

/**
 * The value that the schema of a body receives. A form becomes an object of strings and
 * files, with an array for each repeated name. A missing body is `undefined`.
 */
export function seenBody(value: unknown, type?: string): unknown {
  const sent = typeOf(value, type);
  if (value === undefined || sent === JSON_TYPE) return value;
  const entries = entriesOf(value);
  // An empty urlencoded form has no bytes, so the body is missing.
  if (sent === URLENCODED && entries.length === 0) return undefined;
  return Object.fromEntries(
    Map.groupBy(entries, ([name]) => name).entries().map(([name, all]) => {
      const values = all.map(([, each]) => each);
      return [name, values.length === 1 ? values[0] : values];
    }),
  );
}

/** The media type with which to send a value. A file requires a multipart form. */
function typeOf(value: unknown, type = JSON_TYPE): string {
  const hasFile = typeof value === "object" && value !== null &&
    Object.values(value).flat().some((each) => each instanceof File);
  return hasFile ? MULTIPART : type;
}

/** The entries of a form: strings and files by name. */
function entriesOf(value: unknown): [string, string | File][] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, each]) =>
    [each].flat().filter((each) => each !== undefined)
      .map((each): [string, string | File] => [
        name.toWellFormed(),
        each instanceof File ? each : stringOf(each),
      ])
  );
}
