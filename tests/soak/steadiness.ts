import { median } from "../bench/report.ts";

/** The share of a run that caches, compiled code and pools take to fill. */
const WARM_UP = 0.2;

/** How a figure changed over a run, apart from its beginning. */
export interface Rise {
  /**
   * What its slope comes to over the time. The slope is the median of those
   * between any two samples (Theil and Sen): a leak has one, however slow, while
   * noise and outliers have none.
   */
  readonly trend: number;
  /** How much the last quarter of it lies above the first. */
  readonly growth: number;
}

/** Measures how a figure changed, from samples taken at equal distances. */
export function riseOf(samples: readonly number[]): Rise {
  const warm = samples.slice(Math.ceil(samples.length * WARM_UP));
  if (warm.length < 4) throw new RangeError("Cannot tell from so few samples");
  const slopes = warm.flatMap((later, at) =>
    warm.slice(0, at).map((earlier, start) => (later - earlier) / (at - start))
  );
  const quarter = Math.floor(warm.length / 4);
  return {
    trend: median(slopes) * (warm.length - 1),
    growth: median(warm.slice(-quarter)) - median(warm.slice(0, quarter)),
  };
}
