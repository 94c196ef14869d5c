/** The time before a client reconnects. */
import { assert, assertEquals } from "@std/assert";
import { FakeTimers } from "../support/fake_timers.ts";
import {
  readEvents,
  retryAfterOf,
  wait,
  waitingTime,
} from "../../src/client/events.ts";

Deno.test("the time grows with each failure, partly at random", () => {
  const { random } = Math;
  try {
    Math.random = () => 1;
    const times = (retry: number) =>
      [0, 1, 2, 3, 20].map((failures) => waitingTime(retry, failures));
    assertEquals(times(1_000), [1_000, 2_000, 4_000, 8_000, 31_000]);
    assertEquals(times(0), [0, 100, 300, 700, 30_000]);
    assertEquals(waitingTime(Infinity, 0), Infinity);
    Math.random = () => 0;
    assertEquals(times(1_000), Array(5).fill(1_000));
  } finally {
    Math.random = random;
  }
});

Deno.test("Retry-After has seconds or a date", () => {
  const { now } = Date;
  const after = (value?: string) =>
    retryAfterOf(
      new Response(null, {
        headers: value === undefined ? {} : { "retry-after": value },
      }),
    );
  const date = "Sat, 14 Mar 2026 09:30:00 GMT";
  try {
    for (
      const [left, expected] of [[-1, 0], [0, 0], [1, 1], [60_000, 60_000]]
    ) {
      Date.now = () => Date.parse(date) - left!;
      assertEquals(after(date), expected);
    }
  } finally {
    Date.now = now;
  }
  assertEquals([after("2"), after("0"), after("120")], [2_000, 0, 120_000]);
  for (const value of [undefined, "", "soon", "-1", "1.5x"]) {
    assertEquals(after(value), 0, value);
  }
});

/** Whether a client reconnects after a response without events. */
async function isTemporary(status: number): Promise<boolean> {
  const responses = [
    new Response("retry: 1\ndata: 1\n\n", {
      headers: { "content-type": "text/event-stream" },
    }),
    new Response(null, { status }),
    new Response(null, { status: 204 }),
  ];
  let count = 0;
  const events = readEvents({
    method: "GET",
    path: "/",
    connect: () => Promise.resolve(responses[count++]!),
  });
  const { random } = Math;
  Math.random = () => 0;
  try {
    for await (const _ of events);
    return true;
  } catch (error) {
    assert(events.isRefusal(error));
    return false;
  } finally {
    Math.random = random;
  }
}

Deno.test("the client reconnects after a temporary status", async () => {
  for (const status of [408, 425, 429, 500, 503, 599]) {
    assertEquals(await isTemporary(status), true, `${status}`);
  }
  for (const status of [200, 400, 404, 409, 426, 499]) {
    assertEquals(await isTemporary(status), false, `${status}`);
  }
});

Deno.test("a wait ends with its time, its signal or its work", async () => {
  const { signal } = new AbortController();
  using time = new FakeTimers();
  let isOver = false;
  const over = wait(20, signal).then((result) => {
    isOver = true;
    return result;
  });
  await time.pass(19);
  assertEquals(isOver, false);
  await time.pass(1);
  assertEquals(await over, undefined);
  assertEquals(await wait(60_000, signal, Promise.resolve(7)), 7);
  assertEquals(await wait(60_000, AbortSignal.abort()), undefined);
  const leaving = new AbortController();
  const waiting = wait(Infinity, leaving.signal);
  leaving.abort();
  assertEquals(await waiting, undefined);
});
