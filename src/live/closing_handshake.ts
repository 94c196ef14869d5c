/**
 * How long no message must come before the code is sent, in milliseconds: a browser
 * may take a few from one message to the next that it was given at once.
 */
const QUIET = 20;
/** How long the client may go on sending before it is sent the code, in milliseconds. */
const LONGEST_WAIT = 1_000;
/** How long the client has to respond to the code, in milliseconds. */
const RESPONSE_TIME = 2_000;

/**
 * Closes a socket from the server's side.
 *
 * If a message has arrived already, Deno cuts the connection before it sends the code:
 * it does so at the next message after `close()`. So this waits until no message comes
 * for a while.
 */
export class ClosingHandshake {
  /** How many messages came, and were dropped. */
  dropped = 0;
  readonly #socket: WebSocket;
  readonly #onTimeout: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** @param onTimeout Called if the client does not respond. */
  constructor(socket: WebSocket, onTimeout: () => void) {
    this.#socket = socket;
    this.#onTimeout = onTimeout;
  }

  /** Sends the code as soon as the client is quiet. */
  start(code: number, reason: string): void {
    const deadline = performance.now() + LONGEST_WAIT;
    const wait = (dropped: number): void => {
      this.#timer = setTimeout(() => {
        const isQuiet = this.dropped === dropped;
        if (isQuiet || performance.now() > deadline) {
          this.send(code, reason);
          this.#awaitResponse();
        } else wait(this.dropped);
      }, QUIET);
    };
    wait(this.dropped);
  }

  /** Stops waiting, since the connection has ended. */
  stop(): void {
    clearTimeout(this.#timer);
  }

  /** Sends the code at once, and waits for nothing. */
  send(code: number, reason: string): void {
    this.#socket.close(code, reason);
  }

  #awaitResponse(): void {
    this.#timer = setTimeout(this.#onTimeout, RESPONSE_TIME);
    // The timer alone must not keep the process alive.
    Deno.unrefTimer(this.#timer);
  }
}
