import fc from "fast-check";
import type { JsonSchema } from "../../openapi/types.ts";

/** Numbers within their bounds, those bounds and small ones more often than others. */
export function numberArbitrary(
  { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf }:
    JsonSchema,
  isInteger: boolean,
): fc.Arbitrary<unknown> | undefined {
  const step = typeof multipleOf === "number" ? multipleOf : isInteger ? 1 : 0;
  const least = Math.max(
    Number(minimum ?? -Infinity),
    Number(exclusiveMinimum ?? -Infinity) + step,
  );
  const most = Math.min(
    Number(maximum ?? Infinity),
    Number(exclusiveMaximum ?? Infinity) - step,
  );
  if (step === 0) {
    if (least > most) return undefined;
    return fc.oneof(
      fc.double({ min: least, max: most, noNaN: true, noDefaultInfinity: true })
        // JSON has one zero.
        .map((value) => value === 0 ? 0 : value),
      ...[least, most].filter(Number.isFinite).map((edge) => fc.constant(edge)),
    );
  }
  const min = Math.ceil(Math.max(least, Number.MIN_SAFE_INTEGER) / step);
  const max = Math.floor(Math.min(most, Number.MAX_SAFE_INTEGER) / step);
  if (min > max) return undefined;
  // Near zero, or near the least where that is above: where most values are.
  const near = Math.min(Math.max(0, min), max);
  return fc.oneof(
    fc.integer({ min: near, max: Math.min(max, near + 5) }),
    fc.constantFrom(
      ...[least, most].filter(Number.isFinite).length === 0
        ? [near]
        : [min, max].filter((_, index) =>
          Number.isFinite([least, most][index])
        ),
    ),
    fc.integer({ min, max }),
  ).map((count) => {
    const value = count * step;
    return Number.isInteger(step) ? value : Number(value.toPrecision(12));
  });
}
