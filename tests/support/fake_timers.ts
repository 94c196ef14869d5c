/** A timer that a test starts instead of the real one. */
export interface GivenTimer {
  readonly run: () => void;
  readonly delay: number;
  /** The time between two calls of an interval. */
  readonly interval: number | undefined;
}

type TimerFunctions = Pick<
  typeof globalThis,
  "setTimeout" | "setInterval" | "clearTimeout" | "clearInterval"
>;

/**
 * Replaces the functions of timers.
 *
 * @param start Starts a timer, and returns its identifier.
 * @param end Ends a timer; returns whether `start` has started it.
 * @returns The real functions.
 */
export function replaceTimers(
  start: (timer: GivenTimer) => number,
  end: (id: number) => boolean,
): TimerFunctions {
  const real = { setTimeout, setInterval, clearTimeout, clearInterval };
  const starting = (isInterval: boolean) =>
  (
    callback: (...args: unknown[]) => void,
    milliseconds = 0,
    ...args: unknown[]
  ) => {
    // A real timer with a longer delay than 24.8 days fires at once.
    const delay = milliseconds < 2 ** 31 ? Math.max(milliseconds, 1) : 1;
    const interval = isInterval ? delay : undefined;
    return start({ run: () => callback(...args), delay, interval });
  };
  const clear = (id?: number) => {
    if (!end(id!)) real.clearTimeout(id);
  };
  Object.assign(globalThis, {
    setTimeout: starting(false),
    setInterval: starting(true),
    clearTimeout: clear,
    clearInterval: clear,
  });
  return real;
}

interface Timer extends GivenTimer {
  at: number;
  /** Whether the timer keeps the process alive. */
  isRef: boolean;
}

/** A time that passes only when a test says so, for timers and both clocks. */
export class FakeTimers implements Disposable {
  #now = 0;
  /** Real timers have small identifiers. */
  #id = 1e9;
  readonly #timers = new Map<number, Timer>();
  readonly #globals = replaceTimers(
    (timer) => {
      const at = this.#now + timer.delay;
      this.#timers.set(++this.#id, { ...timer, at, isRef: true });
      return this.#id;
    },
    (id) => this.#timers.delete(id),
  );
  readonly #deno = { refTimer: Deno.refTimer, unrefTimer: Deno.unrefTimer };
  readonly #dateNow = Date.now;

  constructor() {
    const mark = (isRef: boolean) => (id: number) => {
      const timer = this.#timers.get(id);
      if (timer !== undefined) timer.isRef = isRef;
      else this.#deno[isRef ? "refTimer" : "unrefTimer"](id);
    };
    Object.assign(Deno, { refTimer: mark(true), unrefTimer: mark(false) });
    Date.now = performance.now = () => this.#now;
  }

  /** The timers that run, and how many of them keep the process alive. */
  get running(): { readonly timers: number; readonly referenced: number } {
    const timers = [...this.#timers.values()];
    const referenced = timers.filter(({ isRef }) => isRef).length;
    return { timers: timers.length, referenced };
  }

  /** Lets a time pass at once, with all timers that fire within it. */
  tick(milliseconds: number): void {
    const end = this.#now + milliseconds;
    while (this.#fireNext(end));
    this.#now = end;
  }

  /** Lets a time pass, with a turn of the event loop before and after each timer. */
  async pass(milliseconds: number): Promise<void> {
    const end = this.#now + milliseconds;
    do await this.turn(); while (this.#fireNext(end));
    this.#now = end;
  }

  /** Runs all jobs that wait for no timer, in one turn of the event loop. */
  async turn(): Promise<void> {
    await new Promise((resolve) => this.#globals.setTimeout(resolve));
  }

  /** Fires the next timer, if its time comes until `end`. */
  #fireNext(end: number): boolean {
    const [next] = [...this.#timers].sort(([, a], [, b]) => a.at - b.at);
    if (next === undefined || next[1].at > end) return false;
    const [id, timer] = next;
    this.#now = timer.at;
    if (timer.interval === undefined) this.#timers.delete(id);
    else timer.at += timer.interval;
    timer.run();
    return true;
  }

  [Symbol.dispose](): void {
    Object.assign(globalThis, this.#globals);
    Object.assign(Deno, this.#deno);
    Date.now = this.#dateNow;
    Reflect.deleteProperty(performance, "now");
  }
}
