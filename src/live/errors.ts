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

/** Whether an error is that of an aborted signal. */
export function isAbort(error: unknown): boolean {
  return isA(error, DOMException) && error.name === "AbortError";
}
