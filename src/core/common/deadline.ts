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
  /** The timer of the wait itself, while the clock is stopped. */
  timer?: ReturnType<typeof startTimer>;
}

// All requests and all servers of the process share the waits, which one timer checks. A
// timer for each body would add a tenth to the time of its request
// (`tests/instruments/bench/deadline_bench.ts`).
let waits: Wait[] = [];
let now = 0;
let tickers = 0;
let clock: ReturnType<typeof setInterval> | undefined;

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
    clearInterval(clock);
    clock = undefined;
  };
}

function tick(): void {
  now++;
  const open = waits.filter(({ expire }) => expire !== undefined);
  waits = open.filter(({ deadline }) => deadline > now);
  for (const { deadline, expire } of open) if (deadline <= now) expire!();
}

/**
 * Waits for a promise for a limited time: by the clock, or with a separate timer while
 * no server runs, as in a test.
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
  return new Promise((resolve, reject) => {
    const late = () => reject(expire());
    const wait: Wait = { deadline: now + 1 + timeout / TICK, expire: late };
    if (tickers === 0) wait.timer = startTimer(late, timeout);
    else begin(wait);
    promise.then((value) => {
      end(wait);
      resolve(value);
    }, (error) => {
      end(wait);
      reject(error);
    });
  });
}

function begin(wait: Wait): void {
  waits.push(wait);
  if (clock !== undefined) return;
  clock = setInterval(tick, TICK);
  Deno.unrefTimer(clock);
}

function end(wait: Wait): void {
  wait.expire = undefined;
  if (wait.timer !== undefined) clearTimeout(wait.timer);
}
