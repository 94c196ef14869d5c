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

/** One wait for a promise; `expire` is absent once the promise has settled. */
interface Wait {
  /** The tick at which the wait expires. */
  readonly deadline: number;
  expire?: (() => void) | undefined;
}

// All requests and all servers of the process share the waits, which one timer checks. A
// timer for each body would add a tenth to the time of its request
// (`tests/instruments/bench/deadline_bench.ts`).
let waits: Wait[] = [];
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
  const open = waits.filter(({ expire }) => expire !== undefined);
  waits = open.filter(({ deadline }) => deadline > now);
  for (const { deadline, expire } of open) if (deadline <= now) expire!();
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
    const wait: Wait = {
      deadline: now + 1 + timeout / TICK,
      expire: () => reject(expire()),
    };
    waits.push(wait);
    promise.then((value) => {
      wait.expire = undefined;
      resolve(value);
    }, (error) => {
      wait.expire = undefined;
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
