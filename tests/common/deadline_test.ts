import { assert, assertEquals, assertRejects } from "@std/assert";
import {
  startTicking,
  startTimer,
  withDeadline,
} from "../../src/common/deadline.ts";

const late = (): Error => new RangeError("too late");

/** Waits for a promise of one's own, and tells what came of it. */
function waitFor(timeout: number): {
  readonly resolve: (value: string) => void;
  readonly outcome: Promise<string>;
} {
  const { promise, resolve } = Promise.withResolvers<string>();
  const start = performance.now();
  const outcome = withDeadline(promise, timeout, late).catch((error) => {
    assert(error instanceof RangeError);
    const took = performance.now() - start;
    assert(took >= timeout - 1, `${took} ms instead of ${timeout}`);
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
  Deno.test(`withDeadline() gives what comes in time, ${how}`, async () => {
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
      setTimeout(resolve, 30, long);
      assertEquals(await withDeadline(promise, long, late), long);
    }
    stop();
  });

  Deno.test(`withDeadline() gives up each of many at its own time, ${how}`, async () => {
    const stop = start();
    // A server keeps its process alive; its ticks do not.
    const alive = setInterval(() => {}, 1_000);
    const [first, second, third] = [50, 700, 60_000].map(waitFor);
    assertEquals(await first!.outcome, "late");
    third!.resolve("in time");
    assertEquals(await third!.outcome, "in time");
    assertEquals(await second!.outcome, "late");
    // What comes after all does no harm to those that wait now.
    const last = waitFor(50);
    first!.resolve("after all");
    second!.resolve("after all");
    assertEquals(await last.outcome, "late");
    clearInterval(alive);
    stop();
  });
}

Deno.test("within() gives a promise its whole time, however soon the server ticks", () => {
  // By how many ticks, of 500 ms each, it is given up: the first may come at once.
  const TICKS = [[1, 2], [500, 2], [501, 3], [1_000, 3], [1_001, 4]] as const;
  using ticks = new TicksByHand();
  const stop = startTicking();
  for (const [timeout, expected] of TICKS) {
    let expired = false;
    const expire = () => (expired = true, late());
    withDeadline(new Promise(() => {}), timeout, expire).catch(() => {});
    let count = 0;
    for (; !expired; count++) ticks.tick();
    assertEquals(count, expected, `${timeout} ms`);
  }
  stop();
});

Deno.test("within() makes its error once, and none for what came in time", async () => {
  using ticks = new TicksByHand();
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
  // What has come has left the ring, wherever it stood in it.
  const settled = Promise.allSettled(given);
  await Promise.allSettled([given[1], given[2]]);
  for (let count = 0; count < 10; count++) ticks.tick();
  assertEquals(made, ["early", "later"]);
  assertEquals(
    (await settled).map(({ status }) => status),
    ["rejected", "fulfilled", "rejected", "rejected"],
  );
  stop();
});

Deno.test("within() leaves no timer behind that would keep a process alive", async () => {
  const own = {
    setTimeout: globalThis.setTimeout,
    clearTimeout: globalThis.clearTimeout,
  };
  const timers = new Set<unknown>();
  Object.assign(globalThis, {
    setTimeout(callback: () => void, milliseconds: number) {
      const timer = own.setTimeout(callback, milliseconds);
      timers.add(timer);
      return timer;
    },
    clearTimeout(timer: number) {
      timers.delete(timer);
      own.clearTimeout(timer);
    },
  });
  try {
    assertEquals(await withDeadline(Promise.resolve(1), 60_000, late), 1);
    const failing = Promise.reject(new TypeError("no"));
    await assertRejects(() => withDeadline(failing, 60_000, late), TypeError);
  } finally {
    Object.assign(globalThis, own);
  }
  assertEquals(timers.size, 0);
});

Deno.test("the clock runs from the first wait until no server is left, and keeps no process alive", async () => {
  using ticks = new TicksByHand();
  const wait = () => withDeadline(Promise.resolve(1), 1_000, late);
  const [first, second] = [startTicking(), startTicking()];
  assertEquals(ticks.log, []);
  await Promise.all([wait(), wait()]);
  assertEquals(ticks.log, ["set 500", "unref"]);
  second();
  await wait();
  assertEquals(ticks.log.length, 2);
  first();
  assertEquals(ticks.log, ["set 500", "unref", "clear"]);
  const third = startTicking();
  await wait();
  third();
  assertEquals(ticks.log.slice(3), ["set 500", "unref", "clear"]);
});

/** A clock that is moved by hand, in the place of `setInterval()`. */
class TicksByHand implements Disposable {
  readonly #own = {
    setInterval: globalThis.setInterval,
    clearInterval: globalThis.clearInterval,
  };
  readonly #unrefTimer = Deno.unrefTimer;
  /** What was done with the timer. */
  readonly log: string[] = [];
  /** Does what was to be done at each tick. */
  tick: () => void = () => {};

  constructor() {
    const TIMER = 1e9;
    globalThis.setInterval = ((tick: () => void, ms: number) => {
      this.tick = tick;
      this.log.push(`set ${ms}`);
      return TIMER;
    }) as unknown as typeof setInterval;
    globalThis.clearInterval = (timer) => {
      this.log.push(Number(timer) === TIMER ? "clear" : `clear ${timer}`);
    };
    Deno.unrefTimer = (timer) => {
      this.log.push(Number(timer) === TIMER ? "unref" : `unref ${timer}`);
    };
  }

  [Symbol.dispose](): void {
    Object.assign(globalThis, this.#own);
    Deno.unrefTimer = this.#unrefTimer;
  }
}

/** For how long a timer is set, or nothing where there is none. */
function timeoutOf(milliseconds: number): number | undefined {
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

Deno.test("startTimer() cuts a time to the longest that a timer knows, and sets none for ever", () => {
  assertEquals(timeoutOf(0), 0);
  assertEquals(timeoutOf(1_000), 1_000);
  assertEquals(timeoutOf(2_147_483_647), 2_147_483_647);
  assertEquals(timeoutOf(2_147_483_648), 2_147_483_647);
  assertEquals(timeoutOf(Number.MAX_VALUE), 2_147_483_647);
  assertEquals(timeoutOf(Infinity), undefined);
});
