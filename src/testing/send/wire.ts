import type { SchemaPart } from "../../types/schema.ts";
import type { Captures } from "../operation.ts";

/**
 * Whether a path can carry the values of its segments. An empty segment is none, `.`
 * and `..` are steps, and neither NUL nor half a surrogate pair can be decoded. An
 * entry of a wildcard holds no separator.
 */
export function isCarried({ params, wildcard }: Captures): boolean {
  return Object.values(params).every(isSegment) &&
    wildcard.every((entry) => isSegment(entry) && !/[/\\]/.test(entry));
}

function isSegment(text: string): boolean {
  return text !== "" && text !== "." && text !== ".." &&
    !text.includes("\0") && text.isWellFormed();
}

/** Whether headers can carry values as they are: spaces around them would be lost. */
export function areHeaders(values: object): boolean {
  return Object.entries(values).every(([name, value]) =>
    /^[!#$%&'*+\-.^`|~\w]+$/.test(name) && typeof value === "string" &&
    /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(value)
  );
}

/**
 * What HTTP carries of the value of a part: headers and queries are strings, and a name
 * that a query repeats has a list.
 */
export function asCarried(part: SchemaPart, value: unknown): unknown {
  if (part !== "query" && part !== "headers") return value;
  const entries = Object.entries(value as object).flatMap(([name, each]) => {
    if (part === "headers") {
      return each === undefined ? [] : [[name.toLowerCase(), textOf(each)]];
    }
    const texts = [each].flat().filter((each) => each !== undefined)
      .map(textOf);
    const carried = texts.length === 1 ? texts[0] : texts;
    return texts.length === 0 ? [] : [[name.toWellFormed(), carried]];
  });
  return Object.fromEntries(entries);
}

/** The text of a value. An object may have a `toString` that is none. */
function textOf(value: unknown): string {
  const isObject = typeof value === "object" && value !== null;
  return (isObject ? JSON.stringify(value) : String(value)).toWellFormed();
}

/** The media type of JSON. */
export const JSON_TYPE = "application/json";

const URLENCODED = "application/x-www-form-urlencoded";

/** The media type of a form that may have files. */
export const MULTIPART = "multipart/form-data";

const BOUNDARY = "bough-boundary";

/** The texts of the files that were made. A `File` tells its own only later. */
const fileTexts = new WeakMap<File, string>();

/** Makes a file whose text is known. */
export function fileOf(text: string, type: string): File {
  const file = new File([text], "file.txt", { type });
  fileTexts.set(file, text);
  return file;
}

/** The text of a body, and the `Content-Type` that tells how to read it. */
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
      fileTexts.get(value),
    ]
    : ["", value];
  // As the HTML Standard writes a name into the head of a part.
  const escaped = name.replaceAll(/[\r\n"]/g, encodeURIComponent);
  return `--${BOUNDARY}\r\ncontent-disposition: form-data; name="${escaped}"${file}\r\n\r\n${text}\r\n`;
}

/**
 * What a schema gets of a body: a form is an object of texts and files, a name that is
 * repeated has a list, and no body at all is `undefined`.
 */
export function seenBody(value: unknown, type?: string): unknown {
  const sent = typeOf(value, type);
  if (value === undefined || sent === JSON_TYPE) return value;
  const entries = entriesOf(value);
  // A form in which nothing is sent has no bytes.
  if (sent === URLENCODED && entries.length === 0) return undefined;
  return Object.fromEntries(
    Map.groupBy(entries, ([name]) => name).entries().map(([name, all]) => {
      const values = all.map(([, each]) => each);
      return [name, values.length === 1 ? values[0] : values];
    }),
  );
}

/** The type by which a value is sent: a file makes it a form. */
function typeOf(value: unknown, type = JSON_TYPE): string {
  const hasFile = typeof value === "object" && value !== null &&
    Object.values(value).flat().some((each) => each instanceof File);
  return hasFile ? MULTIPART : type;
}

/** The entries of a form: texts and files by name. */
function entriesOf(value: unknown): [string, string | File][] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, each]) =>
    [each].flat().filter((each) => each !== undefined)
      .map((each): [string, string | File] => [
        name.toWellFormed(),
        each instanceof File ? each : textOf(each),
      ])
  );
}
