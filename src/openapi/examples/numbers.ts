import type { JsonSchema } from "../types.ts";

/**
 * A number that a person would write: 1 where it fits, or else the one that is
 * closest to the bounds. `undefined` if there is none.
 */
export function exampleNumber(schema: JsonSchema): number | undefined {
  return candidates(schema).find((value) => fits(value, schema));
}

function candidates(schema: JsonSchema): number[] {
  const low = Math.max(
    numberOf(schema.minimum, -Infinity),
    numberOf(schema.exclusiveMinimum, -Infinity),
  );
  const high = Math.min(
    numberOf(schema.maximum, Infinity),
    numberOf(schema.exclusiveMaximum, Infinity),
  );
  const step = stepOf(schema);
  const aboveLow = Math.ceil(low / step) * step;
  const belowHigh = Math.floor(high / step) * step;
  return [
    1,
    step,
    low,
    aboveLow,
    aboveLow + step,
    high,
    belowHigh,
    belowHigh - step,
    (low + high) / 2,
  ];
}

function stepOf({ type, multipleOf }: JsonSchema): number {
  if (typeof multipleOf !== "number") return 1;
  if (type !== "integer") return multipleOf;
  // The whole numbers among the multiples of 1.5 are those of 3.
  let count = 1;
  while (!Number.isInteger(count * multipleOf) && count < 1_000) count++;
  return count * multipleOf;
}

function fits(value: number, schema: JsonSchema): boolean {
  const { multipleOf } = schema;
  return Number.isFinite(value) &&
    (schema.type !== "integer" || Number.isInteger(value)) &&
    value >= numberOf(schema.minimum, -Infinity) &&
    value <= numberOf(schema.maximum, Infinity) &&
    value > numberOf(schema.exclusiveMinimum, -Infinity) &&
    value < numberOf(schema.exclusiveMaximum, Infinity) &&
    (typeof multipleOf !== "number" || Number.isInteger(value / multipleOf));
}

function numberOf(value: unknown, fallback: number): number {
  return typeof value === "number" ? value : fallback;
}
