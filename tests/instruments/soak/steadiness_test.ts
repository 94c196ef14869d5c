import { assert, assertThrows } from "@std/assert";
import { Random } from "./random.ts";
import { type Rise, riseOf } from "./steadiness.ts";

/** Twenty samples with noise of ±10 around 1,000, plus a function of their index. */
function samples(added: (at: number) => number): number[] {
  const random = new Random(1);
  return Array.from(
    { length: 20 },
    (_, at) => 990 + random.below(21) + added(at),
  );
}

/** The range of each figure that a case must have. */
type Ranges = Partial<Record<keyof Rise, readonly [low: number, high: number]>>;

const STEADY: Ranges = { trend: [-10, 10], growth: [-10, 10] };
const ONE_STEP: Ranges = { sustained: [-Infinity, 30] };
const CASES: readonly (readonly [string, number[], Ranges])[] = [
  ["noise", samples(() => 0), STEADY],
  ["a warm-up", samples((at) => at < 4 ? -500 : 0), STEADY],
  ["an outlier", samples((at) => at === 19 ? 500 : 0), STEADY],
  [
    "a slow leak",
    samples((at) => at * 5),
    { trend: [65, 85], growth: [50, 70], sustained: [30, 70] },
  ],
  [
    "a late step",
    samples((at) => at < 17 ? 0 : 500),
    { trend: [-Infinity, 100], growth: [490, 510] },
  ],
  ...Array.from({ length: 16 }, (_, step) =>
    [
      `a step at ${step + 4}`,
      samples((at) => at < step + 4 ? 0 : 500),
      ONE_STEP,
    ] as const),
];

Deno.test("riseOf() separates leaks from noise, outliers and single steps", () => {
  for (const [name, samples, ranges] of CASES) {
    const rise = riseOf(samples);
    for (const [figure, [low, high]] of Object.entries(ranges)) {
      const value = rise[figure as keyof Rise];
      assert(low < value && value < high, `${name}: ${figure} ${value}`);
    }
  }
  assertThrows(() => riseOf([1, 2, 3, 4]), RangeError);
});
