/** The parser of forms, against a naive one, and against itself in pieces. */
import { assert, assertEquals } from "@std/assert";
import { readMultipart } from "../../../src/core/request/form.ts";
import { readParts } from "../../../src/uploads/parts.ts";
import { Random } from "../../instruments/soak/random.ts";

type Part = readonly [field: string, name: string | undefined, content: string];

/** The bytes of a text with one character for each byte. */
export const bytesOf = (text: string) =>
  Uint8Array.from(text, (character) => character.charCodeAt(0));
const textOf = (bytes: Uint8Array) =>
  Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");

/** Reads a form line by line; `undefined` if the form is malformed. */
function readNaively(text: string, boundary: string): Part[] | undefined {
  const lines = text.split("\r\n");
  const isLast = (line: string) =>
    line.startsWith(`--${boundary}--`) &&
    /^[ \t]{0,256}$/.test(line.slice(boundary.length + 4));
  const isDelimiter = (line: string, index: number) =>
    isLast(line) || line.startsWith(`--${boundary}`) &&
      index < lines.length - 1 &&
      /^[ \t]{0,256}$/.test(line.slice(boundary.length + 2));
  const parts: Part[] = [];
  let start = lines.findIndex(isDelimiter);
  while (start !== -1 && !isLast(lines[start]!)) {
    const end = lines.findIndex((line, index) =>
      index > start && isDelimiter(line, index)
    );
    const part = lines.slice(start + 1, end);
    const blank = part.indexOf("");
    const header = part.slice(0, blank).findLast((line) =>
      /^content-disposition:/i.test(line)
    ) ?? "";
    const field = /; name=(\w+)/.exec(header)?.[1];
    if (end === -1 || blank === -1 || field === undefined) {
      return undefined;
    }
    const name = /; filename=(\w+)/.exec(header)?.[1];
    parts.push([field, name, part.slice(blank + 1).join("\r\n")]);
    start = end;
  }
  return start === -1 ? undefined : parts;
}

async function readWhole(text: string, type: string): Promise<Part[]> {
  const form = readMultipart(bytesOf(text), type);
  return await Promise.all([...form].map(async ([field, value]) => {
    return typeof value === "string"
      ? [field, undefined, value] as const
      : [field, value.name, textOf(await value.bytes())] as const;
  }));
}

/** Reads a form in pieces, as an upload arrives. */
async function readArriving(
  text: string,
  type: string,
  size: number,
): Promise<Part[]> {
  const bytes = bytesOf(text);
  let start = 0;
  const read = () => {
    const piece = bytes.slice(start, start += size);
    return Promise.resolve(piece.length === 0 ? undefined : piece);
  };
  const parts: Part[] = [];
  for await (const part of readParts(read, type, Infinity)) {
    let content = "";
    for (let piece; (piece = await part.read()) !== undefined;) {
      content += textOf(piece);
    }
    parts.push([part.field, part.name, content]);
  }
  return parts;
}

/** Forms that are valid, or nearly so: most faults are at a delimiter or in headers. */
function randomForm(random: Random, boundary: string): string {
  const pick = <Value>(values: readonly Value[]): Value =>
    values[random.below(values.length)]!;
  const tail = () =>
    pick(["", "", "", " ", "\t", " \t ", "-", "x", "--x", "- "]);
  const line = () => pick(["", "", "", tail()]);
  const content = () =>
    Array.from({ length: random.below(5) }, () =>
      pick([
        "\r\n",
        "\r",
        "\n",
        "a",
        "-",
        "--",
        `--${boundary}`,
        boundary,
        `\r\n--${boundary}${tail()}`,
        `\r\n--${boundary}-${tail()}`,
        `\n--${boundary}`,
        `\r\n--${boundary.slice(0, -1)}`,
        "\xff\0",
        " ".repeat(random.below(300)),
      ])).join("");
  const headers = () =>
    pick([
      "Content-Disposition: form-data; name=a\r\n",
      "Content-Disposition: form-data; name=b; filename=f\r\n",
      "content-disposition:form-data; name=c; filename=g\r\nX: y\r\n",
      "Content-Disposition: form-data; name=d\r\nContent-Type: a/b\r\n",
      ...random.below(8) === 0 ? ["", "X: y\r\n", "; name=e"] : [],
    ]);
  const part = () =>
    `--${boundary}${line()}\r\n${headers()}${
      random.below(12) === 0 ? "" : "\r\n"
    }${content()}${random.below(12) === 0 ? "" : "\r\n"}`;
  const parts = Array.from({ length: random.below(4) }, part).join("");
  const end = pick(["\r\n", "\r\n", "", "\r\nepilogue", "\n", "\r"]);
  return `${pick(["", "", "preamble\r\n", "\r\n", content()])}${parts}${
    random.below(20) === 0 ? "" : `--${boundary}--${line()}${end}`
  }`;
}

/** Reads random forms whole and in pieces, and compares the results with each other. */
export async function compareReaders(
  seed: number,
  forms: number,
): Promise<void> {
  const random = new Random(seed);
  let valid = 0;
  for (let count = 0; count < forms; count++) {
    const boundary = ["b", "bb", "-", "b--"][random.below(4)]!;
    const type = `multipart/form-data; boundary=${boundary}`;
    const text = randomForm(random, boundary);
    const expected = readNaively(text, boundary);
    if (expected !== undefined) valid++;
    const decode = new TextDecoder();
    const decoded = expected?.map(([field, name, content]) =>
      [field, name, name ? content : decode.decode(bytesOf(content))] as const
    );
    const whole = await readWhole(text, type).catch(() => undefined);
    assertEquals(whole, decoded, JSON.stringify([boundary, text]));
    for (const size of [1, 7, 65_536]) {
      const found = await readArriving(text, type, size).catch(() => undefined);
      assertEquals(found, expected, JSON.stringify([size, boundary, text]));
    }
  }
  // Otherwise, only the errors would agree.
  const share = valid / forms;
  assert(share > 0.4 && share < 0.9, `a share of ${share} is valid`);
}
