import type { JsonSchema } from "../../core/schema/json_schema.ts";
import type { LeafValues } from "./formats.ts";

/**
 * Returns the numbers of a schema. The best plain number is 1 if 1 is valid, or otherwise
 * a number close to the limits.
 */
export function numberValues(schema: JsonSchema): LeafValues {
  const { from, to, step, isInside } = rangeOf(schema);
  const unit = step || 1;
  // Sums often fail at the limits of integers, which the schemas of documents omit.
  const widest = schema.type === "integer"
    ? Math.floor(Number.MAX_SAFE_INTEGER / step) * step
    : Infinity;
  const ends = [Math.max(from, -widest), Math.min(to, widest)]
    .filter(Number.isFinite);
  const [low = 0, high = low] = ends;
  const gap = step || 0.001;
  // Most real values are near zero.
  const near = Math.max(from, Math.min(0, to));
  const far = Math.min(to, near + 1_000 * unit);
  const best = [1, unit, from, from + unit, to, to - unit, (from + to) / 2]
    .find((value) =>
      isInside(value) && (step === 0 || Number.isInteger(value / step)) &&
      (schema.type !== "integer" || Number.isInteger(value))
    );
  return {
    plain(draw) {
      if (draw.isBest) return best;
      if (near > far) return undefined;
      return step === 0
        ? near + (far - near) * draw.pick(2 ** 31) / 2 ** 31
        : rounded(near + draw.pick(Math.round((far - near) / step) + 1) * step);
    },
    edges: [
      ...ends,
      ...step === 0 ? [low + gap, high - gap, 0.1] : [],
      // The sign, and the range of 32 bits.
      ...[0, -1, 2 ** 31],
    ].filter(isInside),
    // The limits themselves may be exclusive.
    beyond: [low - gap, high + gap, ...ends, low + gap / 2],
  };
}

/**
 * The first and the last valid number, and the difference between valid numbers, which is
 * 0 if each number in the range is valid.
 */
function rangeOf(schema: JsonSchema) {
  const minimum = Number(schema.minimum ?? -Infinity);
  const maximum = Number(schema.maximum ?? Infinity);
  const above = Number(schema.exclusiveMinimum ?? -Infinity);
  const below = Number(schema.exclusiveMaximum ?? Infinity);
  const isInside = (value: number) =>
    value >= minimum && value <= maximum && value > above && value < below;
  const [from, to] = [Math.max(minimum, above), Math.min(maximum, below)];
  const step = stepOf(schema);
  if (step === 0) return { from, to, step, isInside };
  // The limit may be exclusive.
  const inside = (value: number, next: number) =>
    rounded(isInside(rounded(value)) ? value : next);
  const first = Math.ceil(from / step) * step;
  const last = Math.floor(to / step) * step;
  return {
    from: inside(first, first + step),
    to: inside(last, last - step),
    ...{ step, isInside },
  };
}

/** Returns a decimal fraction without the rounding error of `3 * 0.1`. */
function rounded(value: number): number {
  return Number.isInteger(value) ? value : Number(value.toPrecision(12));
}

function stepOf({ type, multipleOf }: JsonSchema): number {
  if (typeof multipleOf !== "number") return type === "integer" ? 1 : 0;
  if (type !== "integer") return multipleOf;
  // The integers among the multiples of 1.5 are the multiples of 3.
  let count = 1;
  while (!Number.isInteger(count * multipleOf) && count < 1_000) count++;
  return count * multipleOf;
}
