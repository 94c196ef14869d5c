import type { JsonSchema } from "../types.ts";

/**
 * Returns a number that a person would write: 1 if 1 is valid, or otherwise a number
 * close to the limits. Returns `undefined` if no such number is valid.
 */
export function exampleNumber(schema: JsonSchema): number | undefined {
  const { type, multipleOf } = schema;
  const least = numberOf(schema.minimum, -Infinity);
  const most = numberOf(schema.maximum, Infinity);
  const above = numberOf(schema.exclusiveMinimum, -Infinity);
  const below = numberOf(schema.exclusiveMaximum, Infinity);
  const low = Math.max(least, above);
  const high = Math.min(most, below);
  const step = stepOf(schema);
  const first = Math.ceil(low / step) * step;
  const last = Math.floor(high / step) * step;
  const middle = (low + high) / 2;
  const steps = [first, first + step, high, last, last - step];
  return [1, step, low, ...steps, middle].find((value) =>
    Number.isFinite(value) &&
    (type !== "integer" || Number.isInteger(value)) &&
    value >= least && value <= most && value > above && value < below &&
    (typeof multipleOf !== "number" || Number.isInteger(value / multipleOf))
  );
}

function stepOf({ type, multipleOf }: JsonSchema): number {
  if (typeof multipleOf !== "number") return 1;
  if (type !== "integer") return multipleOf;
  // The integers among the multiples of 1.5 are the multiples of 3.
  let count = 1;
  while (!Number.isInteger(count * multipleOf) && count < 1_000) count++;
  return count * multipleOf;
}

function numberOf(value: unknown, fallback: number): number {
  return typeof value === "number" ? value : fallback;
}
