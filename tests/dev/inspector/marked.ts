/**
 * Requests whose secrets have marks: `token=<token|abc>` is `token=abc` before its
 * secrets are replaced, and `token=«token»` afterwards.
 */
import { assertEquals } from "@std/assert";
import type { RequestEntry } from "../../../src/dev/inspector/entry.ts";
import { Secrets } from "../../../src/dev/inspector/redact.ts";
import { secretNames } from "../../../src/dev/inspector/secret_names.ts";

export type Part = Partial<RequestEntry>;

const MARK = /<([\w -]+)\|(.*?)>/g;

/** Replaces each mark with its value. */
export function before<Marked>(marked: Marked): Marked {
  return JSON.parse(JSON.stringify(marked).replaceAll(MARK, "$2"));
}

/** Replaces each mark with the placeholder of its value, and drops cut bodies. */
export function after<Marked>(marked: Marked): Marked {
  const shown = JSON.stringify(
    marked,
    (_, value) => value?.isCut ? { ...value, text: undefined } : value,
  );
  return JSON.parse(shown.replaceAll(MARK, "«$1»"));
}

/** The values with a mark, by their names. */
export function valuesIn(marked: string): Record<string, string> {
  const marks = [...marked.matchAll(MARK)];
  return Object.fromEntries(marks.map(([, name, value]) => [name, value]));
}

export function redact(part: Part, further: readonly string[] = []): Part {
  return new Secrets(secretNames(further)).redact(part);
}

/** Asserts that placeholders replace exactly the values with a mark. */
export function assertRedacts(marked: Part): void {
  assertEquals(redact(before(marked)), after(marked));
}

/** A request with headers: `cookie: a=b`. */
export function headers(...lines: string[]): Part {
  const pairs = lines.map((line) => {
    const [, name, value] = /^([^:]*): ?(.*)$/s.exec(line)!;
    return [name!, value!] as const;
  });
  return { request: { headers: pairs } };
}

/** A request or a response with a body of a type, `application/json` by default. */
export function body(
  text: string,
  { type = "application/json", isCut = false, of = "request", boundary = "" } =
    {},
): Part {
  const headers = boundary === ""
    ? []
    : [["content-type", `${type}; boundary=${boundary}`] as const];
  return { [of]: { headers, body: { type, size: 9, text, isCut } } };
}

/** A body of which the rest is missing. */
export function cutBody(text: string, options = {}): Part {
  return body(text, { ...options, isCut: true });
}

export const FORM = { type: "application/x-www-form-urlencoded" };
export const MULTIPART = { type: "multipart/form-data", boundary: "x" };

/** A multipart body with fields. */
export function multipart(fields: Readonly<Record<string, string>>): Part {
  const parts = Object.entries(fields).map(([name, value]) =>
    `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
  );
  return body(`${parts.join("")}--x--\r\n`, MULTIPART);
}

export function logs(...texts: string[]): Part {
  return { logs: texts.map((text) => ({ time: 1, level: "log", text })) };
}

export function messages(...texts: string[]): Part {
  return { messages: texts.map((text) => ({ time: 1, from: "client", text })) };
}
