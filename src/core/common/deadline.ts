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

/**
 * Waits for a promise for a limited time.
 *
 * @param timeout The timeout in milliseconds; a wait of `Infinity` never expires.
 * @param expire Creates the error of the rejection after the timeout. It may also end
 * the work, whose result then comes too late.
 */
export function withDeadline<T>(
  promise: Promise<T>,
  timeout: number,
  expire: () => Error,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = startTimer(() => reject(expire()), timeout);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
