import { logError, logWarning } from "../common/log.ts";
import { OpenConnections } from "../record/connections.ts";
import type { RequestHandler } from "../record/record.ts";

/** How long to wait before listening again, in milliseconds; doubled each time. */
const FIRST_PAUSE = 100;
const LONGEST_PAUSE = 5_000;

/** Options of `Deno.serve` for HTTP, or with key and certificate for HTTPS. */
export type ListenOptions = Deno.ServeTcpOptions & {
  readonly key?: string;
  readonly cert?: string;
};

/**
 * A server that listens again if the server of `Deno.serve` ends by itself. That
 * happens when a connection cannot be accepted, say because the process has no file
 * descriptors left.
 *
 * Its methods are bound, like those of Deno's server.
 */
export class RestartingServer implements Deno.HttpServer<Deno.NetAddr> {
  /** Its address, which stays the same. */
  readonly addr: Deno.NetAddr;
  /** Resolves when it was shut down and its running requests have finished. */
  readonly finished: Promise<void>;
  readonly #options: ListenOptions;
  readonly #handler: RequestHandler;
  readonly #connections: OpenConnections;
  #server: Deno.HttpServer<Deno.NetAddr>;
  /** Resolves when the former servers have shut down. */
  #former = Promise.resolve();
  #cancelling = new AbortController();
  #ending = false;
  #referenced = true;
  #pause: ReturnType<typeof setTimeout> | undefined;
  #endPause: () => void = () => {};

  /**
   * Starts to listen.
   *
   * @throws If the port cannot be listened on.
   */
  constructor(
    options: ListenOptions,
    handler: RequestHandler,
    connections: OpenConnections = new OpenConnections(),
  ) {
    this.#options = options;
    this.#handler = handler;
    this.#connections = connections;
    this.#server = this.#listen(options);
    this.addr = this.#server.addr;
    options.signal?.addEventListener("abort", this.#cancel);
    this.finished = this.#finish();
    // It may abort while the routes are imported. Then nobody hears of it any more.
    if (options.signal?.aborted) this.#cancel();
  }

  readonly shutdown = async (): Promise<void> => {
    this.#end();
    await this.#connections.close(() =>
      Promise.all([this.#server.shutdown(), this.#former])
    );
  };

  readonly ref = (): void => {
    this.#referenced = true;
    this.#server.ref();
    if (this.#pause !== undefined) Deno.refTimer(this.#pause);
  };

  readonly unref = (): void => {
    this.#referenced = false;
    this.#server.unref();
    if (this.#pause !== undefined) Deno.unrefTimer(this.#pause);
  };

  readonly [Symbol.asyncDispose] = (): Promise<void> => this.shutdown();

  async #finish(): Promise<void> {
    try {
      await this.#last();
      await this.#former;
    } finally {
      this.#options.signal?.removeEventListener("abort", this.#cancel);
    }
  }

  /** Listens, again and again, until it is shut down or its signal aborts. */
  async #last(): Promise<void> {
    let pause = FIRST_PAUSE;
    for (;;) {
      const start = performance.now();
      const isClosed = await this.#serverEnds();
      // Without an error, nothing is short: a handler did not return its upgrade.
      if (isClosed || performance.now() - start > LONGEST_PAUSE) {
        pause = FIRST_PAUSE;
      }
      do {
        if (this.#ending) return;
        await this.#waitFor(pause);
        pause = Math.min(2 * pause, LONGEST_PAUSE);
      } while (this.#ending || !this.#listenAgain());
    }
  }

  /**
   * Waits until the present server ends; logs it if nobody asked for that.
   *
   * @returns Whether it ended without an error.
   */
  async #serverEnds(): Promise<boolean> {
    const { port } = this.addr;
    let isClosed = false;
    try {
      await this.#server.finished;
      isClosed = true;
      if (this.#ending) return isClosed;
      logWarning(`the server on port ${port} ended by itself`);
    } catch (error) {
      if (this.#ending) throw error;
      logError(`the server on port ${port} ended by itself:`, error);
    }
    // Its idle connections would keep file descriptors that are needed now.
    const former = this.#server;
    const leaving = this.#connections.restart(() => former.shutdown())
      .catch(() => {});
    this.#former = this.#former.then(() => leaving);
    // A new signal, since Deno's listeners throw on the signal of an ended server.
    this.#cancelling = new AbortController();
    return isClosed;
  }

  #listen(options: ListenOptions): Deno.HttpServer<Deno.NetAddr> {
    const { signal } = this.#cancelling;
    return Deno.serve({ ...options, signal }, this.#handler);
  }

  #listenAgain(): boolean {
    const { port } = this.addr;
    try {
      this.#server = this.#listen({
        ...this.#options,
        // With an address from the environment, it may be that of a socket.
        ...this.addr as ListenOptions,
        onListen: () => {},
      });
    } catch (error) {
      logError(`port ${port} cannot be listened on yet:`, error);
      return false;
    }
    if (!this.#referenced) this.#server.unref();
    logWarning(`listening on port ${port} again`);
    return true;
  }

  #waitFor(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      this.#endPause = () => {
        clearTimeout(this.#pause);
        this.#pause = undefined;
        resolve();
      };
      this.#pause = setTimeout(this.#endPause, milliseconds);
      if (!this.#referenced) Deno.unrefTimer(this.#pause);
    });
  }

  readonly #cancel = (): void => {
    if (!this.#ending) this.#cancelling.abort();
    this.#end();
    // Whoever waits for "finished" gets its error.
    this.#connections.endUntil(this.finished).catch(() => {});
  };

  #end(): void {
    this.#ending = true;
    this.#endPause();
  }
}
