import { assert, assertEquals, assertRejects } from "@std/assert";
import {
  startTicking,
  startTimer,
  withDeadline,
} from "../../../src/core/common/deadline.ts";
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

for (
  const [how, start] of [
    ["while a server ticks", startTicking],
    ["without a server", () => () => {}],
  ] as const
) {
  Deno.test(`withDeadline() returns a result in time, ${how}`, async () => {
    using timers = new FakeTimers();
    const stop = start();
    assertEquals(await withDeadline(Promise.resolve(1), 1_000, late), 1);
    await assertRejects(
      () => withDeadline(Promise.reject(new TypeError("no")), 1_000, late),
      TypeError,
      "no",
    );
    // A timer of more than 2 ** 31 - 1 ms fires at once.
    for (const long of [2 ** 31 - 1, 2 ** 31, 2 ** 32 + 1, 1e21, Infinity]) {
      const { promise, resolve } = Promise.withResolvers<number>();
      const waiting = withDeadline(promise, long, late);
      await timers.pass(30);
      resolve(long);
      assertEquals(await waiting, long);
    }
    stop();
    assertEquals(timers.running.timers, 0);
  });

  Deno.test(`withDeadline() ends each of several waits at its own time, ${how}`, async () => {
    using timers = new FakeTimers();
    const stop = start();
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
    stop();
  });
}

Deno.test("withDeadline() never ends a wait early, whenever the server ticks", () => {
  // The number of ticks, of 500 ms each, that a wait takes: the first may come at once.
  const TICKS = [[1, 2], [500, 2], [501, 3], [1_000, 3], [1_001, 4]] as const;
  using timers = new FakeTimers();
  const stop = startTicking();
  for (const [timeout, expected] of TICKS) {
    let expired = false;
    const expire = () => (expired = true, late());
    withDeadline(new Promise(() => {}), timeout, expire).catch(() => {});
    let count = 0;
    for (; !expired; count++) {
      timers.tick(499);
      assertEquals(expired, false, `${timeout} ms`);
      timers.tick(1);
    }
    assertEquals(count, expected, `${timeout} ms`);
  }
  stop();
});

Deno.test("withDeadline() creates its error once, and no error for a result in time", async () => {
  using timers = new FakeTimers();
  const stop = startTicking();
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
  // A settled wait has left the ring, wherever its place was.
  const settled = Promise.allSettled(given);
  await Promise.allSettled([given[1], given[2]]);
  timers.tick(5_000);
  assertEquals(made, ["early", "later"]);
  assertEquals(
    (await settled).map(({ status }) => status),
    ["rejected", "fulfilled", "rejected", "rejected"],
  );
  stop();
});

Deno.test("withDeadline() leaves no timer that would keep a process alive", async () => {
  using timers = new FakeTimers();
  assertEquals(await withDeadline(Promise.resolve(1), 60_000, late), 1);
  const failing = Promise.reject(new TypeError("no"));
  await assertRejects(() => withDeadline(failing, 60_000, late), TypeError);
  assertEquals(timers.running.timers, 0);
});

Deno.test("the clock runs from the first wait until no server is left, and keeps no process alive", async () => {
  using timers = new FakeTimers();
  const wait = () => withDeadline(Promise.resolve(1), 1_000, late);
  const none = { timers: 0, referenced: 0 };
  const clock = { timers: 1, referenced: 0 };
  const [first, second] = [startTicking(), startTicking()];
  assertEquals(timers.running, none);
  await Promise.all([wait(), wait()]);
  assertEquals(timers.running, clock);
  second();
  await wait();
  assertEquals(timers.running, clock);
  first();
  assertEquals(timers.running, none);
  const third = startTicking();
  await wait();
  assertEquals(timers.running, clock);
  third();
  assertEquals(timers.running, none);
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
  assertEquals(delayOf(0), 0);
  assertEquals(delayOf(1_000), 1_000);
  assertEquals(delayOf(2_147_483_647), 2_147_483_647);
  assertEquals(delayOf(2_147_483_648), 2_147_483_647);
  assertEquals(delayOf(Number.MAX_VALUE), 2_147_483_647);
  assertEquals(delayOf(Infinity), undefined);
});
