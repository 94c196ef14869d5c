/** Something that stays open after the handler has returned: a stream or a socket. */
export interface OpenConnection {
  /**
   * Closes it in order before its server shuts down, which cuts every socket at once;
   * resolves when that is done.
   *
   * @param restarts Whether the server has ended by itself and listens again, so that
   * nothing waits for handlers.
   */
  readonly leave?: (restarts: boolean) => Promise<void>;
  /** Ends what is left of it, once the server has stopped listening. */
  readonly end: () => void;
}

/** The streams and sockets that an application holds open. */
export class OpenConnections {
  readonly #open = new Set<OpenConnection>();
  #servers = 0;
  /** How many servers have stopped listening, and still wait for running requests. */
  #stopping = 0;

  /** Whether a server of the application is shutting down. */
  get closing(): boolean {
    return this.#servers > 0;
  }

  /**
   * Takes in a connection, until it is removed. It ends at once where a request that
   * still ran opened it too late: the server would wait for it.
   */
  add(connection: OpenConnection): void {
    if (this.#stopping > 0) connection.end();
    else this.#open.add(connection);
  }

  /** Forgets a connection that has ended. */
  remove(connection: OpenConnection): void {
    this.#open.delete(connection);
  }

  /**
   * Closes everything around the shutdown of a server. Connections do not know their
   * server, so those of another server of the same application end, too.
   *
   * @param shutdown Stops listening; resolves when all requests have ended.
   */
  async close(shutdown: () => Promise<unknown>): Promise<void> {
    this.#servers++;
    try {
      const leaving = this.#leave(false);
      if (leaving.length > 0) await Promise.allSettled(leaving);
      const stopped = shutdown();
      // Not sooner: a client that reconnects must not meet this server again.
      await this.endUntil(stopped);
    } finally {
      this.#servers--;
    }
  }

  /** Closes sockets before a server shuts down that has ended by itself. */
  async restart(shutdown: () => Promise<unknown>): Promise<void> {
    await Promise.allSettled(this.#leave(true));
    await shutdown();
  }

  #leave(restarts: boolean): Promise<void>[] {
    return [...this.#open].flatMap((each) => each.leave?.(restarts) ?? []);
  }

  /** Ends everything at once, and what is opened until a server has stopped. */
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
