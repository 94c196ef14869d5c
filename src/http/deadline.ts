/** A promise that is waited for, and how to give it up. */
interface Pending {
  readonly deadline: number;
  readonly giveUp: () => void;
}

/**
 * What is waited for while a server ticks. To set and clear a timer for each body
 * would cost a tenth of its request; to be put in a set and taken out costs next
 * to nothing.
 */
const pending = new Set<Pending>();
const TICK = 500;
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
    timer = setInterval(() => {
      const now = performance.now();
      for (const each of pending) if (each.deadline <= now) each.giveUp();
    }, TICK);
    Deno.unrefTimer(timer);
  }
  return () => {
    if (--tickers === 0) clearInterval(timer);
  };
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
  return new Promise((resolve, reject) => {
    let stop: () => void;
    if (tickers > 0) {
      const each: Pending = {
        deadline: performance.now() + timeout,
        giveUp: () => {
          stop();
          reject(expire());
        },
      };
      pending.add(each);
      stop = () => pending.delete(each);
    } else {
      // Nobody ticks: in a test, or behind a server that is not ours.
      const timer = setTimeout(() => reject(expire()), timeout);
      stop = () => clearTimeout(timer);
    }
    promise.then((value) => {
      stop();
      resolve(value);
    }, (error) => {
      stop();
      reject(error);
    });
  });
}
