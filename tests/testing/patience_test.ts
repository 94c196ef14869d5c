/** Contract tests wait for events and messages only until an operation has processed a change. */
import { assert, assertEquals } from "@std/assert";
import { Patience } from "../../src/testing/patience.ts";
import { FakeTimers } from "../support/fake_timers.ts";

/**
 * Waits while something arrives at some milliseconds, and returns how many arrivals were
 * seen after how many milliseconds. Each look at the arrivals takes a millisecond.
 */
async function waited(
  patience: Patience,
  { at = [], before = 0, working = 0, pace = 1, stop = 1 }: {
    readonly at?: readonly number[];
    /** The milliseconds that the process is stopped in each turn of the event loop. */
    readonly stop?: number;
    readonly before?: number;
    /** The milliseconds until the application has handled everything. */
    readonly working?: number;
    /** The milliseconds for each step of this work. */
    readonly pace?: number;
  } = {},
): Promise<{ seen: number; time: number }> {
  using timers = new FakeTimers();
  let time = 0;
  let isOver = false;
  const count = () => before + at.filter((each) => each <= time).length;
  const look = () => {
    time++;
    return count();
  };
  const waiting = patience.wait(
    look,
    () => time < working ? Math.floor(time / pace) : undefined,
  )
    .finally(() => isOver = true);
  while (!isOver) {
    await Promise.resolve();
    if (timers.running.timers > 0) timers.tick(stop);
  }
  await waiting;
  return { seen: count(), time };
}

Deno.test("the first wait is long, and later waits are as long as the operation needs", async () => {
  const patience = new Patience();
  const first = await waited(patience, { at: [10, 20] });
  const second = await waited(patience, { at: [10, 20] });
  assertEquals([first.seen, second.seen], [2, 2]);
  assert(first.time >= 100 && second.time < 60, `${second.time}`);
});

Deno.test("a slow arrival makes later waits longer again", async () => {
  const patience = new Patience();
  await waited(patience, { at: [1] });
  assertEquals((await waited(patience, { at: [7] })).seen, 1);
  assertEquals((await waited(patience, { at: [11] })).seen, 1);
});

Deno.test("later waits are short only after an arrival in this process", async () => {
  const patience = new Patience();
  await waited(patience, { before: 3 });
  assert((await waited(patience)).time < 20);
  const silent = new Patience({ most: 30 });
  for (let wait = 0; wait < 3; wait++) {
    assert((await waited(silent)).time >= 30);
  }
  assertEquals((await waited(silent, { at: [25] })).seen, 1);
  const distant = new Patience({ isLocal: false });
  await waited(distant, { before: 1 });
  assertEquals((await waited(distant, { at: [90] })).seen, 1);
});

Deno.test("a wait ends after the last arrival, when everything was sent", async () => {
  const patience = new Patience();
  assertEquals((await waited(patience, { before: Infinity })).time, 1);
  await waited(patience, { before: 1 });
  assertEquals((await waited(patience, { at: [48], working: 45 })).seen, 1);
});

Deno.test("a wait lasts as long as the application handles messages, and ends if it stops", async () => {
  const patience = new Patience();
  await waited(patience, { before: 1 });
  const slow = { before: 1, at: [502], working: 500 };
  assertEquals((await waited(patience, { ...slow, pace: 30 })).seen, 2);
  assert((await waited(patience, { ...slow, pace: 500 })).time < 150);
  const endless = await waited(patience, { before: 1, working: Infinity });
  assert(endless.time < 1_050, `${endless.time}`);
});

Deno.test("a process that is stopped waits as long", async () => {
  const patience = new Patience();
  const stop = 200;
  await waited(patience, { before: 1, stop });
  assertEquals((await waited(patience, { at: [1], stop })).seen, 1);
  assertEquals((await waited(patience, { before: 1, at: [4], stop })).seen, 2);
});
