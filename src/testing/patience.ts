/** The milliseconds to wait for a first arrival, and the maximum of a wait. */
const MOST = 100;

/** The maximum while the application handles what it has received. */
const MOST_BUSY = 1_000;

/** The minimum time without an arrival, in milliseconds. */
const LEAST = 8;

/** The milliseconds that one turn of the event loop counts at most. */
const TURN = 2;

/**
 * Waits for the events and messages of an operation until it has processed a change. Each
 * wait shows how long the next waits should be.
 *
 * If the machine stops the process for 100 ms, nothing arrives in this time, since the
 * application is stopped as well. So a turn of the event loop counts only a few
 * milliseconds, however long it took.
 */
export class Patience {
  readonly #most: number;
  /** The milliseconds without an arrival after which a wait ends. */
  #idle: number;
  readonly #isLocal: boolean;

  /**
   * @param most The milliseconds to wait until a wait has seen an arrival.
   * @param isLocal Whether the application runs in this process. For another process,
   * every wait takes `most`, because that process may be stopped alone.
   */
  constructor({ most = MOST, isLocal = true } = {}) {
    this.#most = this.#idle = most;
    this.#isLocal = isLocal;
  }

  /**
   * Waits until nothing more arrives.
   *
   * @param count The number of arrivals so far; `Infinity` after the last one.
   * @param handled The number of messages that the application has handled so far;
   * `undefined` if it has handled all.
   */
  async wait(
    count: () => number,
    handled: () => number | undefined = () => undefined,
  ): Promise<void> {
    let now = 0;
    let end = this.#most;
    let last = 0;
    let work = handled();
    let longest = 0;
    let seen = count();
    while (now < end && now - last < this.#idle && seen !== Infinity) {
      const start = performance.now();
      await new Promise((resolve) => setTimeout(resolve, 1));
      now += Math.min(performance.now() - start, TURN);
      const [arrived, done] = [count(), handled()];
      if (done !== work) end = Math.min(now + this.#most, MOST_BUSY);
      work = done;
      const isIdle = work === undefined;
      if (isIdle && arrived === seen) continue;
      if (isIdle) longest = Math.max(longest, now - last);
      seen = arrived;
      last = now;
    }
    if (seen === Infinity) return;
    // An arrival before the wait does not show how long a wait should be.
    if (seen === 0 || !this.#isLocal) return;
    const known = this.#idle === this.#most ? LEAST : this.#idle;
    this.#idle = Math.min(Math.max(known, 2 * longest), this.#most);
  }
}
