import { draining, type FrameworkRequest, HttpError } from "@bough/framework";

/** What is done. It should stop when the signal aborts. */
export type Work = (signal: AbortSignal) => Promise<void>;

/** How much a queue takes on. */
export interface QueueOptions {
  /** How many tasks may be there, those that run included. */
  readonly limit: number;
  /** How many run at a time. */
  readonly concurrency: number;
  /**
   * How long tasks may go on after the signal to stop, in milliseconds. Less than
   * `shutdownTimeout` of `app.serve()`, which ends the process.
   */
  readonly grace: number;
}

/** Tasks that go on after the response to the request that gave rise to them. */
export class BackgroundQueue {
  readonly #options: QueueOptions;
  readonly #waiting: { name: string; work: Work }[] = [];
  readonly #stop = new AbortController();
  #idle = Promise.withResolvers<void>();
  #count = 0;
  #running = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: QueueOptions) {
    this.#options = options;
    draining.addEventListener("abort", () => {
      this.#timer = setTimeout(() => this.giveUp(), options.grace);
    });
  }

  /**
   * Does something as soon as the response to a request has been sent.
   *
   * @param request The request, which knows when that is.
   * @param name What is done, for the log.
   * @throws {HttpError} 503 if too much is to be done already.
   */
  add(
    request: Pick<FrameworkRequest, "info">,
    name: string,
    work: Work,
  ): void {
    if (this.#count >= this.#options.limit) {
      throw new HttpError(503, "Too much is to be done", {
        headers: { "retry-after": "10" },
      });
    }
    this.#count++;
    // It rejects where the client has left, which changes nothing.
    request.info.completed.catch(() => {}).then(() => {
      this.#waiting.push({ name, work });
      this.#startNext();
    });
  }

  /** Resolves when all is done or given up. Call it once the server has finished. */
  async finished(): Promise<void> {
    if (this.#count > 0) await this.#idle.promise;
    clearTimeout(this.#timer);
  }

  /** Drops what waits, and tells what runs to stop. */
  giveUp(): void {
    this.#stop.abort(new DOMException("The server stops", "AbortError"));
    for (const { name } of this.#waiting.splice(0)) {
      console.error(`background: "${name}" was given up`);
      this.#done();
    }
  }

  #startNext(): void {
    if (this.#running === this.#options.concurrency) return;
    const task = this.#waiting.shift();
    if (task !== undefined) this.#run(task.name, task.work);
  }

  async #run(name: string, work: Work): Promise<void> {
    this.#running++;
    try {
      await work(this.#stop.signal);
    } catch (error) {
      console.error(`background: "${name}" failed:`, error); // nobody else does
    }
    this.#running--;
    this.#done();
    this.#startNext();
  }

  #done(): void {
    this.#count--;
    if (this.#count > 0) return;
    this.#idle.resolve();
    this.#idle = Promise.withResolvers();
  }
}
