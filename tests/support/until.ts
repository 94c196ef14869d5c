/** Waits until something holds, at most for a time in milliseconds. */
export async function until(
  holds: () => boolean | Promise<boolean>,
  milliseconds = 10_000,
): Promise<void> {
  const end = performance.now() + milliseconds;
  while (!await holds()) {
    if (performance.now() > end) throw new Error(`It is not so: ${holds}`);
    await delay(5);
  }
}

/** Waits for a time in milliseconds. */
export function delay(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
