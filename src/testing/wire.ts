import type { Captures } from "./input.ts";

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

/** Whether a header can carry a text as it is: spaces around it would be lost. */
export function isHeaderValue(value: unknown): boolean {
  return typeof value === "string" &&
    /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(value);
}
