/** Waits for a call of `resolve`, at most for a time in milliseconds. */
export function within(
  milliseconds: number,
  start: (resolve: () => void) => void,
): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    start(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
