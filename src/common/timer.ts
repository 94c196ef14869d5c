/**
 * The longest delay of a timer, 24.8 days in milliseconds; with a longer one it fires
 * at once.
 */
export const LONGEST_DELAY = 2 ** 31 - 1;

/**
 * Calls back after a delay, at most the longest one of a timer; never after
 * `Infinity`.
 *
 * @returns The timer; `undefined` for `Infinity`.
 */
export function startTimer(
  callback: () => void,
  milliseconds: number,
): ReturnType<typeof setTimeout> | undefined {
  return milliseconds === Infinity
    ? undefined
    : setTimeout(callback, Math.min(milliseconds, LONGEST_DELAY));
}
