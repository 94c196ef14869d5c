import { assertEquals, assertThrows } from "@std/assert";
import { endOn, watchExpiries } from "../../src/live/end_on.ts";

/** A clock and its timers, until it is disposed. */
class FakeClock implements Disposable {
  #now = 0;
  readonly #timers = new Map<number, { at: number; run: () => void }>();
  readonly #real = { now: Date.now, set: setTimeout, clear: clearTimeout };

  constructor() {
    let id = 1e9; // of no timer that there is
    Date.now = () => this.#now;
    globalThis.setTimeout = ((run: () => void, milliseconds: number) => {
      // As a real timer does that would be longer than 24.8 days.
      const delay = milliseconds > 2 ** 31 - 1 ? 1 : milliseconds;
      this.#timers.set(++id, { at: this.#now + delay, run });
      return id;
    }) as unknown as typeof setTimeout;
    globalThis.clearTimeout = (id) => void this.#timers.delete(id as number);
  }

  tick(milliseconds: number): void {
    const end = this.#now + milliseconds;
    for (;;) {
      const [next] = [...this.#timers].sort(([, a], [, b]) => a.at - b.at);
      if (next === undefined || next[1].at > end) break;
      this.#timers.delete(next[0]);
      this.#now = next[1].at;
      next[1].run();
    }
    this.#now = end;
  }

  /** How many timers run. */
  get timers(): number {
    return this.#timers.size;
  }

  [Symbol.dispose](): void {
    Date.now = this.#real.now;
    globalThis.setTimeout = this.#real.set;
    globalThis.clearTimeout = this.#real.clear;
  }
}

const request = () => new Request("http://localhost/");
const nameOf = (reason: unknown) => (reason as Error).name;

Deno.test("the first end of a request counts, whether it was said before or later (behaviour 11.4)", () => {
  const [first, second] = [new AbortController(), new AbortController()];
  for (const late of [false, true]) {
    const { signal } = late ? second : first;
    const guarded = request();
    const reasons: unknown[] = [];
    endOn(guarded, new AbortController().signal);
    if (!late) endOn(guarded, signal);
    watchExpiries(guarded, (reason) => reasons.push(reason));
    if (late) endOn(guarded, signal);
    assertEquals(reasons, []);
    (late ? second : first).abort("signed out");
    endOn(guarded, AbortSignal.abort("again"));
    assertEquals(reasons, ["signed out"]);
  }
});

Deno.test("an end that has come already ends at once, and once (behaviour 11.4)", () => {
  for (const end of [AbortSignal.abort("gone"), new Date(0)]) {
    const guarded = request();
    endOn(guarded, end);
    endOn(guarded, AbortSignal.abort("later"));
    let calls = 0;
    watchExpiries(guarded, () => calls++);
    assertEquals(calls, 1);
  }
});

Deno.test("who stopped watching hears of no end", () => {
  using clock = new FakeClock();
  const guarded = request();
  const controller = new AbortController();
  endOn(guarded, controller.signal);
  endOn(guarded, new Date(Date.now() + 1000));
  const reasons: unknown[] = [];
  const stop = watchExpiries(guarded, (reason) => reasons.push(reason));
  assertEquals(clock.timers, 1);
  stop();
  assertEquals(clock.timers, 0);
  controller.abort();
  clock.tick(2000);
  endOn(guarded, AbortSignal.abort());
  assertEquals(reasons, []);
});

Deno.test("a time may be further away than the longest timer (behaviour 11.4)", () => {
  using clock = new FakeClock();
  const guarded = request();
  const day = 24 * 60 * 60 * 1000;
  endOn(guarded, new Date(Date.now() + 60 * day));
  const names: string[] = [];
  watchExpiries(guarded, (reason) => names.push(nameOf(reason)));
  clock.tick(25 * day);
  clock.tick(34 * day);
  assertEquals(names, []);
  clock.tick(day);
  assertEquals(names, ["TimeoutError"]);
});

Deno.test("an end that is neither a signal nor a time is refused", () => {
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
