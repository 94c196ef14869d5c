/**
 * The longest delay of a timer, 24.8 days in milliseconds. A timer with a longer delay
 * fires at once.
 */
export const LONGEST_DELAY = 2 ** 31 - 1;

/** Calls a function after a delay of at most `LONGEST_DELAY`; never for `Infinity`. */
export function startTimer(
  callback: () => void,
  milliseconds: number,
): ReturnType<typeof setTimeout> | undefined {
  return milliseconds === Infinity
    ? undefined
    : setTimeout(callback, Math.min(milliseconds, LONGEST_DELAY));
}

/**
 * Resolves with the result of work, or with `undefined` after `milliseconds`.
 *
 * @param isRef Whether the wait keeps the process alive.
 */
export async function resultWithin<Result>(
  work: Promise<Result>,
  milliseconds: number,
  isRef = true,
): Promise<Result | undefined> {
  let expire!: () => void;
  // Node 20 does not have `Promise.withResolvers`.
  const late = new Promise<undefined>((resolve) =>
    expire = () => resolve(undefined)
  );
  const timer = setTimeout(expire, milliseconds);
  if (!isRef) globalThis.Deno?.unrefTimer(timer);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** The interval at which a server checks deadlines, in milliseconds. */
const TICK = 500;

/**
 * One wait for a promise. All waits of the process form a ring, which one timer checks.
 * A timer for each body would add a tenth to the time of its request. A `Set` of waits
 * takes three times as long as the ring (`tests/instruments/bench/deadline_bench.ts`).
 */
class Wait {
  previous: Wait = this;
  next: Wait = this;
  /** The tick at which the wait expires. */
  readonly deadline: number;
  /** Ends the wait with an error. */
  readonly expire: () => void;

  constructor(deadline: number, expire: () => void) {
    this.deadline = deadline;
    this.expire = expire;
  }

  /** Enters the ring before `other`. */
  enter(other: Wait): void {
    this.previous = other.previous;
    this.next = other;
    this.previous.next = this;
    other.previous = this;
  }

  /** Leaves the ring; a second call does nothing. */
  leave(): void {
    this.previous.next = this.next;
    this.next.previous = this.previous;
    this.previous = this.next = this;
  }
}

// All requests and all servers of the process share the ring, the clock and its timer.
// A request changes only its own place in the ring.
/** The start and the end of the ring. */
const START = new Wait(Infinity, () => {});
let now = 0;
let tickers = 0;
let timer: ReturnType<typeof setInterval> | undefined;

/**
 * Makes waits expire by the clock while a server runs, at most half a second after
 * their deadline.
 *
 * The clock starts with the first wait, because Deno loads Node's timers for the first
 * timer, which would add 5 ms to startup. Most bodies arrive with their request and do
 * not need a wait.
 *
 * @returns A function that stops the clock, unless another server runs.
 */
export function startTicking(): () => void {
  tickers++;
  return () => {
    if (--tickers > 0) return;
    clearInterval(timer);
    timer = undefined;
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
 * Waits for a promise for a limited time.
 *
 * @param timeout The timeout in milliseconds; a wait of `Infinity` never expires.
 * @param expire Creates the error of the rejection after the timeout.
 */
export function withDeadline<T>(
  promise: Promise<T>,
  timeout: number,
  expire: () => Error,
): Promise<T> {
  if (timeout === Infinity) return promise;
  return tickers > 0
    ? withTicks(promise, timeout, expire)
    : withTimer(promise, timeout, expire);
}

function withTicks<T>(
  promise: Promise<T>,
  timeout: number,
  expire: () => Error,
): Promise<T> {
  if (timer === undefined) {
    timer = setInterval(tick, TICK);
    Deno.unrefTimer(timer);
  }
  return new Promise((resolve, reject) => {
    const wait = new Wait(now + 1 + timeout / TICK, () => {
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

/**
 * Waits with a separate timer while the clock is stopped, as in a test or under another
 * server.
 */
async function withTimer<T>(
  promise: Promise<T>,
  timeout: number,
  expire: () => Error,
): Promise<T> {
  let timer;
  const late = new Promise<never>((_, reject) => {
    timer = startTimer(() => reject(expire()), timeout);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
