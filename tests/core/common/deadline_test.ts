import { assert, assertEquals, assertRejects } from "@std/assert";
import { startTimer, withDeadline } from "../../../src/core/common/deadline.ts";
import { FakeTimers } from "../../support/fake_timers.ts";

const late = (): Error => new RangeError("too late");

/** Starts a wait, and notes its outcome. */
function waitFor(timeout: number): {
  readonly resolve: (value: string) => void;
  readonly outcome: Promise<string>;
} {
  const { promise, resolve } = Promise.withResolvers<string>();
  const start = performance.now();
  const outcome = withDeadline(promise, timeout, late).catch((error) => {
    assert(error instanceof RangeError);
    const took = performance.now() - start;
    assert(took >= timeout, `${took} ms instead of ${timeout}`);
    return "late";
  });
  return { resolve, outcome };
}

Deno.test("withDeadline() returns a result in time", async () => {
  using timers = new FakeTimers();
  assertEquals(await withDeadline(Promise.resolve(1), 1_000, late), 1);
  await assertRejects(
    () => withDeadline(Promise.reject(new TypeError("no")), 1_000, late),
    TypeError,
    "no",
  );
  assertEquals(timers.running.timers, 0, "it would keep a process alive");
  // A timer of more than 2 ** 31 - 1 ms fires at once.
  for (const long of [2 ** 31 - 1, 2 ** 31, 2 ** 32 + 1, 1e21, Infinity]) {
    const { promise, resolve } = Promise.withResolvers<number>();
    const waiting = withDeadline(promise, long, late);
    await timers.pass(30);
    resolve(long);
    assertEquals(await waiting, long);
  }
  assertEquals(timers.running.timers, 0);
});

Deno.test("withDeadline() ends each of several waits at its own time", async () => {
  using timers = new FakeTimers();
  const [first, second, third] = [50, 700, 60_000].map(waitFor);
  await timers.pass(1_500);
  assertEquals(await first!.outcome, "late");
  third!.resolve("in time");
  assertEquals(await third!.outcome, "in time");
  assertEquals(await second!.outcome, "late");
  // A late result does not affect later waits.
  const last = waitFor(50);
  first!.resolve("after all");
  second!.resolve("after all");
  await timers.pass(1_000);
  assertEquals(await last.outcome, "late");
});

Deno.test("withDeadline() creates its error once, and no error for a result in time", async () => {
  using timers = new FakeTimers();
  const made: string[] = [];
  const wait = (name: string, promise: Promise<unknown>, timeout: number) =>
    withDeadline(promise, timeout, () => (made.push(name), late()));
  const never = new Promise(() => {});
  const given = [
    wait("early", never, 1),
    wait("resolved", Promise.resolve(1), 1),
    wait("rejected", Promise.reject(new TypeError("no")), 1),
    wait("later", never, 1_000),
  ];
  const settled = Promise.allSettled(given);
  await Promise.allSettled([given[1], given[2]]);
  timers.tick(5_000);
  assertEquals(made, ["early", "later"]);
  assertEquals(
    (await settled).map(({ status }) => status),
    ["rejected", "fulfilled", "rejected", "rejected"],
  );
});

/** The delay of the timer that `startTimer()` sets, if any. */
function delayOf(milliseconds: number): number | undefined {
  const { setTimeout } = globalThis;
  const callback = () => {};
  const set: number[] = [];
  globalThis.setTimeout = ((given: unknown, timeout: number) => {
    assertEquals(given, callback);
    set.push(timeout);
    return 7;
  }) as unknown as typeof setTimeout;
  try {
    const timer = startTimer(callback, milliseconds);
    assertEquals(Number(timer), set.length === 1 ? 7 : NaN);
  } finally {
    globalThis.setTimeout = setTimeout;
  }
  return set[0];
}

Deno.test("startTimer() limits its delay to the longest of a timer, and sets no timer for Infinity", () => {
  const longest = 2_147_483_647;
  for (const delay of [0, 1_000, longest]) assertEquals(delayOf(delay), delay);
  for (const delay of [longest + 1, Number.MAX_VALUE]) {
    assertEquals(delayOf(delay), longest);
  }
  assertEquals(delayOf(Infinity), undefined);
});

Deno.test("withDeadline() rejects, even if its error ends the work", async () => {
  using timers = new FakeTimers();
  const { promise, resolve } = Promise.withResolvers<string>();
  const waiting = withDeadline(promise, 10, () => (resolve("ended"), late()));
  const rejected = assertRejects(() => waiting, RangeError);
  timers.tick(10);
  await rejected;
});
