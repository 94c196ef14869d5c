let lifts = 0;

/**
 * Lets every request of this process pass its rate limit, uncounted, until the result
 * is disposed. Contract tests send more requests than a client may.
 */
export function liftLimits(): Disposable {
  lifts++;
  return {
    [Symbol.dispose]: () => {
      lifts--;
    },
  };
}

/** Whether rate limits are lifted. */
export function areLimitsLifted(): boolean {
  return lifts > 0;
}
