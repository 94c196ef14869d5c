/** The milliseconds to wait as long as nothing has arrived, and the maximum of all. */
const MOST = 100;

/** The least number of milliseconds, and of turns, in which nothing more arrives. */
const LEAST = 8;
const TURNS = 4;

/**
 * Waits for the events and messages of an operation until it has processed a change. How
 * long that takes is learned from the waits before.
 *
 * If the machine stops the process for a while, time passes and nothing arrives. The
 * application takes part in every turn of the event loop, so turns are counted as well.
 */
export class Patience {
  readonly #most: number;
  /** The milliseconds without an arrival after which nothing more is expected. */
  #quiet: number;
  readonly #isLocal: boolean;

  /**
   * @param most The milliseconds to wait as long as no wait has seen an arrival.
   * @param isLocal Whether the application runs in this process. For another process,
   * every wait takes `most`, because that process may be stopped alone.
   */
  constructor({ most = MOST, isLocal = true } = {}) {
    this.#most = this.#quiet = most;
    this.#isLocal = isLocal;
  }

  /**
   * Waits until nothing more arrives.
   *
   * @param count The number of arrivals so far; `Infinity` after the last one.
   * @param isSending Whether the application has not received everything yet.
   */
  async wait(count: () => number, isSending = () => false): Promise<void> {
    const start = performance.now();
    let last = start;
    let longest = 0;
    let turns = 0;
    let seen = count();
    for (let now = start; now - start < this.#most;) {
      if (seen === Infinity) return;
      if (now - last >= this.#quiet && turns >= TURNS) break;
      await new Promise((resolve) => setTimeout(resolve, 1));
      now = performance.now();
      turns++;
      const isBusy = isSending();
      const before = seen;
      seen = count();
      if (!isBusy && seen === before) continue;
      if (!isBusy) longest = Math.max(longest, now - last);
      last = now;
      turns = 0;
    }
    // What arrived before the wait took no time.
    if (seen === 0 || !this.#isLocal) return;
    const known = this.#quiet === this.#most ? LEAST : this.#quiet;
    this.#quiet = Math.min(Math.max(known, 2 * longest), this.#most);
  }
}
