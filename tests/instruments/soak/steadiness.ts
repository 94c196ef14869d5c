import { median } from "../bench/report.ts";

/** The share of a run in which caches, compiled code and pools fill up. */
const WARM_UP = 0.2;

/** How a figure changed over a run, without the warm-up. */
export interface Rise {
  /**
   * Its slope, multiplied by the length of the run. The slope is the median of
   * those between any two samples (Theil and Sen). A leak has one, however slow;
   * noise and outliers have none.
   */
  readonly trend: number;
  /** How much the median of the last quarter lies above that of the first. */
  readonly growth: number;
  /**
   * How much it grew if each quarter grew as little as the one that grew least. A
   * leak grows in each of them; an allocator that keeps a peak grows in one.
   */
  readonly sustained: number;
}

/** Measures how a figure changed, from samples taken at equal intervals. */
export function riseOf(samples: readonly number[]): Rise {
  const warm = samples.slice(Math.ceil(samples.length * WARM_UP));
  if (warm.length < 4) throw new RangeError("Cannot tell from so few samples");
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
