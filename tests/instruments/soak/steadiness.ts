import { median } from "../bench/report.ts";

/** The share of a run in which caches, compiled code and pools fill up. */
const WARM_UP = 0.2;

/** The change of a figure over a run, without the warm-up. */
export interface Rise {
  /**
   * Its slope, multiplied by the length of the run. The slope is the median of the
   * slopes between any two samples (Theil and Sen). Even a slow leak has a trend, unlike
   * noise and outliers.
   */
  readonly trend: number;
  readonly growth: number;
  /**
   * The growth if each quarter grew as little as the quarter with the least growth. A
   * leak grows in each quarter; an allocator that keeps a peak grows in one.
   */
  readonly sustained: number;
}

/** Measures the change of a figure, from samples at equal intervals. */
export function riseOf(samples: readonly number[]): Rise {
  const warm = samples.slice(Math.ceil(samples.length * WARM_UP));
  if (warm.length < 4) {
    throw new RangeError("Cannot measure a rise: too few samples");
  }
  const slopes = warm.flatMap((later, at) =>
    warm.slice(0, at).map((earlier, start) => (later - earlier) / (at - start))
  );
  const length = warm.length / 4;
  const quarters = [0, 1, 2, 3].map((at) =>
    median(warm.slice(Math.ceil(at * length), Math.ceil((at + 1) * length)))
  );
  const rises = quarters.slice(1).map((later, at) => later - quarters[at]!);
  return {
    trend: median(slopes) * (warm.length - 1),
    growth: quarters[3]! - quarters[0]!,
    sustained: 3 * Math.min(...rises),
  };
}
