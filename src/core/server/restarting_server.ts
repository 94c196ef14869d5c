import { log } from "../common/log.ts";
import { OpenConnections } from "../request/connections.ts";
import type { RequestHandler } from "../request/application.ts";

/**
 * The pause, in milliseconds, before the first attempt to listen again. Each attempt
 * doubles the pause.
 */
const FIRST_PAUSE = 100;
const LONGEST_PAUSE = 5_000;

/** The options of `Deno.serve` for HTTP, or for HTTPS with a key and a certificate. */
export type ListenOptions = Deno.ServeTcpOptions & {
  readonly key?: string;
  readonly cert?: string;
};

/**
 * A server that listens again if the server of `Deno.serve` ends by itself, for example
 * because the process has run out of file descriptors.
 *
 * Its methods are bound, like the methods of Deno's server.
 */
export class RestartingServer implements Deno.HttpServer<Deno.NetAddr> {
  /** The address, which stays the same after a restart. */
  readonly addr: Deno.NetAddr;
  /** Resolves when the server has shut down, and its requests and their work have ended. */
  readonly finished: Promise<void>;
  readonly #options: ListenOptions;
  readonly #handler: RequestHandler;
  readonly #connections: OpenConnections;
  #server: Deno.HttpServer<Deno.NetAddr>;
  /** Resolves when the previous servers have shut down. */
  #previous = Promise.resolve();
  #cancelling = new AbortController();
  #ending = false;
  #referenced = true;
  #pause: ReturnType<typeof setTimeout> | undefined;
  #endPause: () => void = () => {};

  /**
   * Starts to listen.
   *
   * @throws If Deno cannot listen on the port.
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
    // If the signal aborted while the routes were imported, the listener never runs.
    if (options.signal?.aborted) this.#cancel();
  }

  readonly shutdown = async (): Promise<void> => {
    this.#end();
    await this.#connections.close(() =>
      Promise.all([this.#server.shutdown(), this.#previous])
    );
    await this.#connections.workEnded();
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
      await this.#keepListening();
      await this.#previous;
      // An aborted server does not drain.
      if (this.#cancelling.signal.aborted) return;
      await this.#connections.workEnded();
    } finally {
      this.#options.signal?.removeEventListener("abort", this.#cancel);
    }
  }

  /**
   * Listens again each time the server ends, until `shutdown()` is called or the signal
   * aborts.
   */
  async #keepListening(): Promise<void> {
    let pause = FIRST_PAUSE;
    for (;;) {
      const start = performance.now();
      const isClosed = await this.#serverEnds();
      // If the server ended without an error, a handler replaced its upgrade response,
      // and Deno can still accept connections.
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
   * Waits until the current server ends. Logs a warning or an error, unless the program
   * ended the server.
   *
   * @returns Whether the server ended without an error.
   */
  async #serverEnds(): Promise<boolean> {
    const ended = `the server on port ${this.addr.port} ended by itself`;
    let isClosed = false;
    try {
      await this.#server.finished;
      isClosed = true;
      if (this.#ending) return isClosed;
      log({ level: "warning", message: ended });
    } catch (error) {
      if (this.#ending) throw error;
      log({ level: "error", message: ended, error });
    }
    // Idle connections of this server hold file descriptors that the next server needs.
    const previous = this.#server;
    const closing = this.#connections.restart(() => previous.shutdown())
      .catch(() => {});
    this.#previous = this.#previous.then(() => closing);
    // Create a new signal, since the listeners that Deno added to the signal of an
    // ended server throw.
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
        // `DENO_SERVE_ADDRESS` can make this the address of a Unix socket.
        ...this.addr as ListenOptions,
        onListen: () => {},
      });
    } catch (error) {
      const message = `cannot listen on port ${port} again`;
      log({ level: "error", message, error });
      return false;
    }
    if (!this.#referenced) this.#server.unref();
    log({ level: "warning", message: `listening on port ${port} again` });
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
    // The caller receives the error from `finished`.
    this.#connections.endUntil(this.finished).catch(() => {});
  };

  #end(): void {
    this.#ending = true;
    this.#endPause();
  }
}
