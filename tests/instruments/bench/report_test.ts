import { assertEquals } from "@std/assert";
import { medianInterval } from "./report.ts";

/** The ranks for 95 % in tables of the binomial distribution. */
const RANKS: readonly (readonly [count: number, low: number, high: number])[] =
  [
    [1, 1, 1],
    [2, 1, 2],
    [5, 1, 5],
    [6, 1, 6],
    [8, 1, 8],
    [9, 2, 8],
    [10, 2, 9],
    [14, 3, 12],
    [20, 6, 15],
    [100, 40, 61],
  ];

for (const [count, low, high] of RANKS) {
  Deno.test(`medianInterval() of ${count} numbers: ${low} to ${high}`, () => {
    const ranks = Array.from({ length: count }, (_, index) => count - index);
    assertEquals(medianInterval(ranks), [low, high]);
  });
}
