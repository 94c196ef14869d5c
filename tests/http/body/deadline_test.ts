import { assert, assertEquals, assertRejects } from "@std/assert";
import { startTicking, within } from "../../../src/http/body/deadline.ts";

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
    // A timer of more than 2 ** 31 - 1 ms fires at once.
    for (const long of [2 ** 31 - 1, 2 ** 31, 2 ** 32 + 1, 1e21, Infinity]) {
      const { promise, resolve } = Promise.withResolvers<number>();
      setTimeout(resolve, 30, long);
      assertEquals(await within(promise, long, late), long);
    }
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
