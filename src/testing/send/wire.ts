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

/** What HTTP carries of the value of a part. */
export function asCarried(part: SchemaPart, value: unknown): unknown {
  switch (part) {
    case "query":
      return asTexts(value);
    case "headers":
      return Object.fromEntries(
        Object.entries(value as object)
          .filter(([, each]) => each !== undefined)
          .map(([name, each]) => [name.toLowerCase(), textOf(each)]),
      );
    default:
      return value;
  }
}

/** The text of a value. An object may have a `toString` that is none. */
export function textOf(value: unknown): string {
  const isObject = typeof value === "object" && value !== null;
  return (isObject ? JSON.stringify(value) : String(value)).toWellFormed();
}

/** A query as it arrives: texts, and lists of two texts or more. */
function asTexts(value: unknown): Record<string, unknown> {
  const entries = Object.entries(value as object).flatMap(([name, each]) => {
    const texts = [each].flat().filter((each) => each !== undefined)
      .map(textOf);
    return texts.length === 0 ? [] : [
      [name.toWellFormed(), texts.length === 1 ? texts[0] : texts] as const,
    ];
  });
  return Object.fromEntries(entries);
}
