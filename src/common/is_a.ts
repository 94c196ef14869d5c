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
