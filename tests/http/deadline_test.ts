import { assert, assertEquals, assertRejects } from "@std/assert";
import { startTicking, within } from "../../src/http/deadline.ts";

const late = (): Error => new RangeError("too late");

/** Waits for a promise of one's own, and tells what came of it. */
function waitFor(timeout: number): {
  readonly resolve: (value: string) => void;
  readonly outcome: Promise<string>;
} {
  const { promise, resolve } = Promise.withResolvers<string>();
  const start = performance.now();
  const outcome = within(promise, timeout, late).catch((error) => {
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
  Deno.test(`within() gives what comes in time, ${how}`, async () => {
    const stop = start();
    assertEquals(await within(Promise.resolve(1), 1_000, late), 1);
    await assertRejects(
      () => within(Promise.reject(new TypeError("no")), 1_000, late),
      TypeError,
      "no",
    );
    assertEquals(await within(Promise.resolve(2), Infinity, late), 2);
    stop();
  });

  Deno.test(`within() gives up each of many at its own time, ${how}`, async () => {
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
    within(new Promise(() => {}), timeout, expire).catch(() => {});
    let count = 0;
    for (; !expired; count++) ticks.tick();
    assertEquals(count, expected, `${timeout} ms`);
  }
  stop();
});

/** A clock that is moved by hand, in the place of `setInterval()`. */
class TicksByHand implements Disposable {
  readonly #setInterval = globalThis.setInterval;
  /** Does what was to be done at each tick. */
  tick: () => void = () => {};

  constructor() {
    globalThis.setInterval = ((tick: () => void) => {
      this.tick = tick;
      return 0;
    }) as typeof setInterval;
  }

  [Symbol.dispose](): void {
    globalThis.setInterval = this.#setInterval;
  }
}
