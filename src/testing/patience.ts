/** The milliseconds to wait for a first arrival, and the maximum of a wait. */
const MOST = 100;

/** The maximum while the application handles what it has received. */
const MOST_BUSY = 1_000;

/** The minimum time without an arrival, in milliseconds and in turns. */
const LEAST = 8;
const TURNS = 4;

/**
 * Waits for the events and messages of an operation until it has processed a change. Each
 * wait shows how long the next waits should be.
 *
 * If the machine stops the process for a while, time passes and nothing arrives. The
 * application takes part in every turn of the event loop, so turns are counted as well.
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
    const start = performance.now();
    let end = start + this.#most;
    let last = start;
    let work = handled();
    let longest = 0;
    let turns = 0;
    let seen = count();
    for (let now = start; now < end;) {
      if (seen === Infinity) return;
      if (now - last >= this.#idle && turns >= TURNS) break;
      await new Promise((resolve) => setTimeout(resolve, 1));
      now = performance.now();
      turns++;
      const [arrived, done] = [count(), handled()];
      if (done !== work) end = Math.min(now + this.#most, start + MOST_BUSY);
      work = done;
      const isIdle = work === undefined;
      if (isIdle && arrived === seen) continue;
      if (isIdle) longest = Math.max(longest, now - last);
      seen = arrived;
      last = now;
      turns = 0;
    }
    // An arrival before the wait does not show how long a wait should be.
    if (seen === 0 || !this.#isLocal) return;
    const known = this.#idle === this.#most ? LEAST : this.#idle;
    this.#idle = Math.min(Math.max(known, 2 * longest), this.#most);
  }
}
