import { assertEquals, assertThrows } from "@std/assert";
import { endOn, watchExpiries } from "../../src/live/end_on.ts";
import { FakeTimers } from "../support/fake_timers.ts";

const request = () => new Request("http://localhost/");

Deno.test("the first expiry of a request counts, whether it was added before or later (behaviour 11.4)", () => {
  for (const isLate of [false, true]) {
    const session = new AbortController();
    const guarded = request();
    const reasons: unknown[] = [];
    endOn(guarded, new AbortController().signal);
    if (!isLate) endOn(guarded, session.signal);
    watchExpiries(guarded, (reason) => reasons.push(reason));
    if (isLate) endOn(guarded, session.signal);
    assertEquals(reasons, []);
    session.abort("signed out");
    endOn(guarded, AbortSignal.abort("again"));
    assertEquals(reasons, ["signed out"]);
  }
  // Both have passed already.
  const late = request();
  endOn(late, AbortSignal.abort("gone"));
  endOn(late, new Date(0));
  const reasons: unknown[] = [];
  watchExpiries(late, (reason) => reasons.push(reason));
  assertEquals(reasons, ["gone"]);
});

Deno.test("an expiry may be later than the longest timer (behaviour 11.4)", () => {
  using timers = new FakeTimers();
  const guarded = request();
  const day = 24 * 60 * 60 * 1000;
  endOn(guarded, new Date(Date.now() + 60 * day));
  const names: string[] = [];
  watchExpiries(guarded, (reason) => names.push((reason as Error).name));
  timers.tick(25 * day);
  timers.tick(34 * day);
  assertEquals(names, []);
  timers.tick(day);
  assertEquals(names, ["TimeoutError"]);
});

Deno.test("an expiry that is neither a signal nor a time is refused", () => {
  for (const wrong of [undefined, 1000, "2030-01-01", new Date(NaN)]) {
    assertThrows(
      () => endOn(request(), wrong as Date),
      TypeError,
      "endOn() ",
    );
  }
  assertThrows(
    () => endOn(request(), new Date(), { closeReason: 1 as never }),
    TypeError,
    "closeReason",
  );
});
