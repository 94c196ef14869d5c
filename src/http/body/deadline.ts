import { startTimer } from "../../common/timer.ts";

/** How often a server looks for deadlines that are over, in milliseconds. */
const TICK = 500;

/**
 * A promise that is waited for while a server ticks, in a ring of all of them.
 * A timer for each body would cost a tenth of its request; a `Set` of waits costs
 * three times what the ring does (`tests/bench/deadline_bench.ts`).
 */
class Wait {
  previous: Wait = this;
  next: Wait = this;
  /** The tick at which it is over. */
  readonly deadline: number;
  /** Gives it up. */
  readonly expire: () => void;

  constructor(deadline: number, expire: () => void) {
    this.deadline = deadline;
    this.expire = expire;
  }

  /** Stands in the ring before `place`. */
  enter(place: Wait): void {
    this.previous = place.previous;
    this.next = place;
    this.previous.next = this;
    place.previous = this;
  }

  /** Leaves the ring; once it has left, nothing happens. */
  leave(): void {
    this.previous.next = this.next;
    this.next.previous = this.previous;
    this.previous = this.next = this;
  }
}

/** Where the ring begins and ends. */
const START = new Wait(Infinity, () => {});
let now = 0;
let tickers = 0;
let timer: ReturnType<typeof setInterval> | undefined;

/**
 * Looks after deadlines until it is stopped, as a server does for as long as it
 * runs. They are kept to half a second.
 *
 * @returns Stops it.
 */
export function startTicking(): () => void {
  if (tickers++ === 0) {
    timer = setInterval(tick, TICK);
    Deno.unrefTimer(timer);
  }
  return () => {
    if (--tickers === 0) clearInterval(timer);
  };
}

function tick(): void {
  now++;
  let wait = START.next;
  while (wait !== START) {
    const { next } = wait;
    if (wait.deadline <= now) wait.expire();
    wait = next;
  }
}

/**
 * Waits for a promise, but not longer than a time.
 *
 * @param timeout Milliseconds; `Infinity` waits for ever.
 * @param expire Makes the error to reject with, when the time is over.
 */
export function within<T>(
  promise: Promise<T>,
  timeout: number,
  expire: () => Error,
): Promise<T> {
  if (timeout === Infinity) return promise;
  return tickers > 0
    ? withinTicks(promise, timeout, expire)
    : withinTimer(promise, timeout, expire);
}

function withinTicks<T>(
  promise: Promise<T>,
  timeout: number,
  expire: () => Error,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const wait = new Wait(now + 1 + Math.ceil(timeout / TICK), () => {
      wait.leave();
      reject(expire());
    });
    wait.enter(START);
    promise.then((value) => {
      wait.leave();
      resolve(value);
    }, (error) => {
      wait.leave();
      reject(error);
    });
  });
}

/** Nobody ticks: in a test, or behind a server that is not ours. */
async function withinTimer<T>(
  promise: Promise<T>,
  timeout: number,
  expire: () => Error,
): Promise<T> {
  let timer;
  // Not by `Promise.withResolvers`, which Node 20 does not have.
  const late = new Promise<never>((_, reject) => {
    timer = startTimer(() => reject(expire()), timeout);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
