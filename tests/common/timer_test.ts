import { assertEquals } from "@std/assert";
import { startTimer } from "../../src/common/deadline.ts";

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
