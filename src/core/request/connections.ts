import { LONGEST_DELAY } from "../common/deadline.ts";
import type { RequestPlace } from "../common/log.ts";

/** A stream or a socket that stays open after the handler has returned. */
export interface OpenConnection {
  /**
   * Closes the connection gracefully, before the shutdown of its server would cut the
   * connection. Resolves when the connection is closed.
   *
   * @param restarts Whether the server failed and listens again. The close then does
   * not wait for handlers.
   */
  readonly closeGracefully?: (restarts: boolean) => Promise<void>;
  /**
   * Ends the connection; called if the connection is still open when the server has
   * stopped listening.
   */
  readonly end: () => void;
}

/** The open streams and sockets of an application. */
export class OpenConnections {
  readonly #open = new Set<OpenConnection>();
  #servers = 0;
  /** The number of servers that stopped listening and wait for running requests. */
  #stopping = 0;
  /** The running requests that may still read their bodies. */
  readonly #reading = new Set<object>();
  #allRead: PromiseWithResolvers<void> | undefined;
  /** The running work of `waitUntil()`, with the requests that started it. */
  readonly #work = new Map<Promise<void>, RequestPlace>();

  /** Whether a server of the application is shutting down. */
  get closing(): boolean {
    return this.#servers > 0;
  }

  /** Whether a server has stopped listening, or is about to. */
  get stopping(): boolean {
    return this.#servers + this.#stopping > 0;
  }

  /** Whether a server that shuts down waits for bodies, and rejects new requests. */
  get rejects(): boolean {
    return this.#allRead !== undefined;
  }

  /** Adds a request that may still read its body, by its record. */
  beginReading(record: object): void {
    this.#reading.add(record);
  }

  /** Removes a request whose body was read, or that has its response. */
  endReading(record: object): void {
    if (!this.#reading.delete(record) || this.#reading.size > 0) return;
    this.#allRead?.resolve();
    this.#allRead = undefined;
  }

  /** Adds work that continues after the response to its request. */
  beginWork(work: Promise<void>, place: RequestPlace): void {
    this.#work.set(work, place);
  }

  /** Removes work that has ended. */
  endWork(work: Promise<void>): void {
    this.#work.delete(work);
  }

  /** The requests whose work is running. */
  get working(): Iterable<RequestPlace> {
    return this.#work.values();
  }

  /** Resolves when no work is running. The process stays alive until then. */
  async workEnded(): Promise<void> {
    if (this.#work.size === 0) return;
    const timer = setInterval(() => {}, LONGEST_DELAY);
    while (this.#work.size > 0) await Promise.all(this.#work.keys());
    clearInterval(timer);
  }

  /**
   * Adds a connection. If a running request opened the connection after the server
   * stopped listening, ends the connection at once, since the server would wait for its
   * end.
   */
  add(connection: OpenConnection): void {
    if (this.#stopping > 0) connection.end();
    else this.#open.add(connection);
  }

  /** Removes a connection that has ended. */
  remove(connection: OpenConnection): void {
    this.#open.delete(connection);
  }

  /**
   * Closes all connections during the shutdown of a server. A connection does not know
   * its server, so the connections of other servers of the same application end, too.
   * First waits for the bodies of running requests: in Deno 2.9, `shutdown()` makes the
   * bodies unreadable (https://github.com/denoland/deno/issues/36809).
   *
   * @param shutdown Stops listening; resolves when all requests have ended.
   */
  async close(shutdown: () => Promise<unknown>): Promise<void> {
    this.#servers++;
    try {
      const closing = this.#closeGracefully(false);
      if (closing.length > 0) await Promise.allSettled(closing);
      if (this.#reading.size > 0) {
        await (this.#allRead ??= Promise.withResolvers()).promise;
      }
      const stopped = shutdown();
      // End connections only now, so that clients cannot reconnect to this server.
      await this.endUntil(stopped);
    } finally {
      this.#servers--;
    }
  }

  /** Closes sockets before the shutdown of a server that failed. */
  async restart(shutdown: () => Promise<unknown>): Promise<void> {
    await Promise.allSettled(this.#closeGracefully(true));
    await shutdown();
  }

  #closeGracefully(restarts: boolean): Promise<void>[] {
    return [...this.#open].flatMap((each) =>
      each.closeGracefully?.(restarts) ?? []
    );
  }

  /**
   * Ends all connections at once, and each new connection until a server has stopped.
   */
  async endUntil(stopped: Promise<unknown>): Promise<void> {
    this.#stopping++;
    try {
      for (const connection of [...this.#open]) connection.end();
      await stopped;
    } finally {
      this.#stopping--;
    }
  }
}
