import { type GivenTimer, replaceTimers } from "../support/fake_timers.ts";

interface Timer extends GivenTimer {
  readonly at: number;
}

/** The number of turns of the event loop until a pause, in which threads can finish work. */
const PAUSE = 50;

/**
 * Makes waiting short: for timers and `performance.now()`, each turn of the event loop takes
 * a millisecond while there are timers, however long it really takes. The order of timers
 * and other events remains.
 *
 * Applications of another process, and sockets, need the real time.
 */
export class FastTime implements Disposable {
  /** The time, in milliseconds. */
  #now = performance.now();
  #turns = 0;
  #isRunning = false;
  #isDisposed = false;
  /** The number of digests that other threads compute. */
  #digests = 0;
  /** Real timers have small identifiers. */
  #id = 1e9;
  readonly #timers = new Map<number, Timer>();
  readonly #globals = replaceTimers(
    (timer) => {
      this.#timers.set(++this.#id, { ...timer, at: this.#now + timer.delay });
      void this.#pass();
      return this.#id;
    },
    (id) => this.#timers.delete(id),
  );

  constructor() {
    performance.now = () => this.#now;
    const { digest } = SubtleCrypto.prototype;
    crypto.subtle.digest = async (...given) => {
      this.#digests++;
      try {
        return await digest.apply(crypto.subtle, given);
      } finally {
        this.#digests--;
      }
    };
  }

  /** Lets time pass as long as there are timers. */
  async #pass(): Promise<void> {
    if (this.#isRunning) return;
    this.#isRunning = true;
    while (this.#timers.size > 0 && !this.#isDisposed) {
      await new Promise<void>((go) =>
        ++this.#turns % PAUSE === 0
          ? this.#globals.setTimeout(go)
          : setImmediate(go)
      );
      // On a busy machine, a thread may need longer for a digest than the real time of
      // many turns.
      if (this.#digests > 0) continue;
      this.#now++;
      const due = [...this.#timers].filter(([, { at }]) => at <= this.#now)
        .sort(([, a], [, b]) => a.at - b.at);
      for (const [id, timer] of due) {
        if (!this.#timers.delete(id)) continue;
        const { at, interval } = timer;
        if (interval !== undefined) {
          this.#timers.set(id, { ...timer, at: at + interval });
        }
        try {
          timer.run();
        } catch (error) {
          reportError(error);
        }
      }
    }
    this.#isRunning = false;
  }

  /** Restores the time. Timers that are left run in real time. */
  [Symbol.dispose](): void {
    this.#isDisposed = true;
    Object.assign(globalThis, this.#globals);
    Reflect.deleteProperty(performance, "now");
    Reflect.deleteProperty(crypto.subtle, "digest");
    for (const { run, at } of this.#timers.values()) {
      setTimeout(run, at - this.#now);
    }
  }
}
