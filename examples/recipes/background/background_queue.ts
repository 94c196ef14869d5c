import { draining, type FrameworkRequest, HttpError } from "@bough/framework";

/** The function of a task. It should stop when the signal aborts. */
export type Work = (signal: AbortSignal) => Promise<void>;

/** Limits of a queue. */
export interface QueueOptions {
  /** The maximum number of tasks, including the tasks that run. */
  readonly limit: number;
  /** The maximum number of tasks that run at once. */
  readonly concurrency: number;
  /**
   * The milliseconds that tasks may take after the server receives the signal to stop.
   * Less than `shutdownTimeout` of `app.serve()`, which ends the process.
   */
  readonly grace: number;
}

/** Tasks that continue after the response to the request that added them. */
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
   * Adds a task, which starts after the response to a request is sent.
   *
   * @param name The name of the task in the log.
   * @throws {HttpError} 503 if the queue is full.
   */
  add(
    request: Pick<FrameworkRequest, "info">,
    name: string,
    work: Work,
  ): void {
    if (this.#count >= this.#options.limit) {
      throw new HttpError(503, "The queue is full", {
        headers: { "retry-after": "10" },
      });
    }
    this.#count++;
    // The promise rejects if the client has disconnected. The task runs even then.
    request.info.completed.catch(() => {}).then(() => {
      this.#waiting.push({ name, work });
      this.#startNext();
    });
  }

  /** Resolves when no task is left. Call it after the server has finished. */
  async finished(): Promise<void> {
    if (this.#count > 0) await this.#idle.promise;
    clearTimeout(this.#timer);
  }

  /** Removes the tasks that wait, and aborts the signals of the tasks that run. */
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
      console.error(`background: "${name}" failed:`, error);
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
