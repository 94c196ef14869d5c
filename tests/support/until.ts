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

/** A clock that stands still but for what a test lets pass; timers have their own. */
export class FakeClock implements Disposable {
  readonly #now = performance.now;
  #time = performance.now();

  constructor() {
    performance.now = () => this.#time;
  }

  /** Lets milliseconds pass at once. */
  pass(milliseconds: number): void {
    this.#time += milliseconds;
  }

  [Symbol.dispose](): void {
    performance.now = this.#now;
  }
}

/** Waits for a time in milliseconds. */
export function delay(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
