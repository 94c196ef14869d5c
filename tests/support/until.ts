/** Waits until a condition holds, at most for a time in milliseconds. */
export async function until(
  holds: () => boolean | Promise<boolean>,
  milliseconds = 60_000,
): Promise<void> {
  const end = performance.now() + milliseconds;
  while (!await holds()) {
    if (performance.now() > end) {
      throw new Error(`This never became true: ${holds}`);
    }
    await delay(5);
  }
}

export function delay(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/** The result of a promise that must settle within a time in milliseconds. */
export async function within<Result>(
  promise: Promise<Result>,
  milliseconds = 60_000,
): Promise<Result> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(
    () =>
      late.reject(new Error(`The promise is pending after ${milliseconds} ms`)),
    milliseconds,
  );
  try {
    return await Promise.race([promise, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
