interface Timer {
  readonly run: () => void;
  readonly at: number;
  readonly interval: number | undefined;
}

/** The number of turns of the event loop until a pause, in which threads can finish work. */
const PAUSE = 50;

/**
 * Makes waiting short: while the event loop is idle, each of its turns takes a millisecond
 * for timers and `performance.now()`. The order of timers and other events remains.
 *
 * Applications of another process, and sockets, need the real time.
 */
export class FastTime implements Disposable {
  /** The milliseconds that were skipped. */
  #skipped = 0;
  #turns = 0;
  #isRunning = false;
  #isDisposed = false;
  /** Real timers have small identifiers. */
  #id = 1e9;
  readonly #timers = new Map<number, Timer>();
  readonly #globals = { setTimeout, setInterval, clearTimeout, clearInterval };
  readonly #realNow = performance.now.bind(performance);

  constructor() {
    const start = (isInterval: boolean) =>
    (
      callback: (...args: unknown[]) => void,
      milliseconds = 0,
      ...args: unknown[]
    ) => {
      const delay = Math.max(milliseconds, 1);
      this.#timers.set(++this.#id, {
        run: () => callback(...args),
        at: this.#now() + delay,
        interval: isInterval ? delay : undefined,
      });
      void this.#pass();
      return this.#id;
    };
    const clear = (id?: number) => {
      if (!this.#timers.delete(id!)) this.#globals.clearTimeout(id);
    };
    Object.assign(globalThis, {
      setTimeout: start(false),
      setInterval: start(true),
      clearTimeout: clear,
      clearInterval: clear,
    });
    performance.now = () => this.#now();
  }

  #now(): number {
    return this.#realNow() + this.#skipped;
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
      this.#skipped++;
      const due = [...this.#timers].filter(([, { at }]) => at <= this.#now())
        .sort(([, a], [, b]) => a.at - b.at);
      for (const [id, { run, at, interval }] of due) {
        if (!this.#timers.delete(id)) continue;
        if (interval !== undefined) {
          this.#timers.set(id, { run, at: at + interval, interval });
        }
        try {
          run();
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
    for (const { run, at } of this.#timers.values()) {
      setTimeout(run, at - this.#now());
    }
  }
}
