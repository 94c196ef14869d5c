import { assertEquals } from "@std/assert";
import { medianInterval } from "./report.ts";

Deno.test("medianInterval() has the ranks for 95 % in tables of the binomial distribution", () => {
  const ranks = [
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
  assertEquals(
    ranks.map(([count]) => {
      const numbers = Array.from({ length: count! }, (_, at) => count! - at);
      return [count, ...medianInterval(numbers)];
    }),
    ranks,
  );
});
