import { textOf } from "./wire.ts";

/** The media type of JSON. */
export const JSON_TYPE = "application/json";

/** The media type of a form without files. */
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

/** The text of a body, and the header that tells how to read it. */
export function bodyOf(
  value: unknown,
  type?: string,
): { text?: string; headers: Record<string, string> } {
  if (value === undefined) return { headers: {} };
  switch (typeOf(value, type)) {
    case URLENCODED: {
      const pairs = entriesOf(value).map((
        [name, each],
      ) => [name, String(each)]);
      return {
        text: new URLSearchParams(pairs).toString(),
        headers: { "content-type": URLENCODED },
      };
    }
    case MULTIPART:
      return {
        text: multipartText(value),
        headers: { "content-type": `${MULTIPART}; boundary=${BOUNDARY}` },
      };
    default:
      return {
        text: JSON.stringify(value),
        headers: { "content-type": JSON_TYPE },
      };
  }
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

function multipartText(value: unknown): string {
  const parts = entriesOf(value).map(([name, each]) => {
    const file = each instanceof File
      ? `; filename="${each.name}"\r\ncontent-type: ${each.type}`
      : "";
    const text = each instanceof File ? fileTexts.get(each) : each;
    return `--${BOUNDARY}\r\ncontent-disposition: form-data; name="${
      escaped(name)
    }"${file}\r\n\r\n${text}\r\n`;
  });
  return `${parts.join("")}--${BOUNDARY}--\r\n`;
}

/** A name as the HTML Standard writes it into the head of a part. */
function escaped(name: string): string {
  return name.replaceAll("\r", "%0D").replaceAll("\n", "%0A")
    .replaceAll('"', "%22");
}
