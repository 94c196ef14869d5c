/** The longest time that a timer knows, 24.8 days; a longer one is over at once. */
const LONGEST = 2 ** 31 - 1;

/**
 * Calls back after a time. `Infinity` never ends, and what is too long for a timer
 * is cut to the longest that it knows.
 *
 * @param milliseconds From now on.
 * @returns The timer, or `undefined` if there is none.
 */
export function startTimer(
  callback: () => void,
  milliseconds: number,
): ReturnType<typeof setTimeout> | undefined {
  return milliseconds === Infinity
    ? undefined
    : setTimeout(callback, Math.min(milliseconds, LONGEST));
}
