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
