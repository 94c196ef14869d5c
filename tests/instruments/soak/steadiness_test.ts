import { assert, assertThrows } from "@std/assert";
import { Random } from "./random.ts";
import { riseOf } from "./steadiness.ts";

/** Twenty samples with noise of ±10 around 1,000, plus a function of their index. */
function samples(added: (at: number) => number): number[] {
  const random = new Random(1);
  return Array.from(
    { length: 20 },
    (_, at) => 990 + random.below(21) + added(at),
  );
}

Deno.test("noise, a warm-up or an outlier does not rise", () => {
  for (
    const steady of [
      samples(() => 0),
      samples((at) => at < 4 ? -500 : 0),
      samples((at) => at === 19 ? 500 : 0),
    ]
  ) {
    const { trend, growth } = riseOf(steady);
    assert(Math.abs(trend) < 10, `trend ${trend}`);
    assert(Math.abs(growth) < 10, `growth ${growth}`);
  }
});

Deno.test("a slow leak has a trend and sustained growth", () => {
  const { trend, growth, sustained } = riseOf(samples((at) => at * 5));
  assert(Math.abs(trend - 75) < 10, `trend ${trend}`);
  assert(Math.abs(growth - 60) < 10, `growth ${growth}`);
  assert(Math.abs(sustained - 50) < 20, `sustained ${sustained}`);
});

Deno.test("a late step has growth without a trend", () => {
  const { trend, growth } = riseOf(samples((at) => at < 17 ? 0 : 500));
  assert(trend < 100, `trend ${trend}`);
  assert(Math.abs(growth - 500) < 10, `growth ${growth}`);
});

Deno.test("the growth of a single step is not sustained", () => {
  for (let step = 4; step < 20; step++) {
    const { sustained } = riseOf(samples((at) => at < step ? 0 : 500));
    assert(sustained < 30, `${sustained} by a step at ${step}`);
  }
});

Deno.test("a few samples are not enough", () => {
  assertThrows(() => riseOf([1, 2, 3, 4]), RangeError);
});
