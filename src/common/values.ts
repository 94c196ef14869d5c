/** Whether a value is an object, but not an array. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The kind of a value, for messages: `a string`, `an array`. */
export function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return "an array";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

/**
 * Spells a wrong value for a message: a string in quotes, since `got 8000` does not
 * tell that `"8000"` was given where a number belongs.
 */
export function spellValue(value: unknown): string {
  return typeof value === "string" ? `"${value}"` : String(value);
}

/**
 * Shortens a text that a client may have sent, to repeat it in a response or a log.
 * A half surrogate pair, which UTF-8 cannot encode, becomes U+FFFD.
 */
export function shorten(text: string, length: number): string {
  const short = text.length > length
    ? text.slice(0, length - 1) + "\u2026"
    : text;
  return short.toWellFormed();
}

/** A word with a capital letter first. */
export function capitalize(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}

/** The message of whatever was thrown. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** Whether a value is a promise, be it of another realm or library. */
export function isThenable<Result>(
  value: Result | PromiseLike<Result>,
): value is PromiseLike<Result> {
  return typeof (value as PromiseLike<Result> | undefined | null)?.then ===
    "function";
}

/** Like `instanceof`, but false for a revoked proxy, where that throws. */
export function isA<Value>(
  value: unknown,
  type: new (...args: never[]) => Value,
): value is Value {
  try {
    return value instanceof type;
  } catch {
    return false;
  }
}

/** Whether an error is that of an aborted signal; false if it cannot be looked at. */
export function isAbort(error: unknown): boolean {
  try {
    return error instanceof DOMException && error.name === "AbortError";
  } catch {
    // A revoked proxy, or one whose name throws.
    return false;
  }
}

/** Whether a value is a plain object; that of `params` has a prototype that is empty. */
export function isPlain(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
