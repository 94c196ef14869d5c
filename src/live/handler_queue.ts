import { isThenable } from "../common/values.ts";
import type { RawMessage, SocketOptions } from "./socket_types.ts";

/** Whose messages a queue holds. */
export interface QueueOwner {
  /** Handles a message; may return a promise. */
  readonly handle: (message: RawMessage) => unknown;
  /** Called with what a handler threw. The queue goes on, unless it is cleared. */
  readonly onError: (error: unknown) => void;
  /** Called whenever a handler has ended, and no message waits. */
  readonly onIdle: () => void;
}

/** How much may wait. */
type QueueLimits = Required<
  Pick<SocketOptions, "maxQueued" | "maxQueuedBytes">
>;

/**
 * Handles messages one after another. Where handlers return no promise, a message is
 * handled as it comes, without a promise of its own.
 */
export class HandlerQueue {
  readonly #owner: QueueOwner;
  readonly #limits: QueueLimits;
  readonly #messages: RawMessage[] = [];
  #size = 0;
  /** Whether a handler runs. */
  isBusy = false;

  constructor(owner: QueueOwner, limits: QueueLimits) {
    this.#owner = owner;
    this.#limits = limits;
  }

  /** Runs something; messages that come meanwhile wait. */
  run(step: () => unknown): void {
    try {
      const result = step();
      if (isThenable(result)) {
        this.#drain(result);
        return;
      }
    } catch (error) {
      this.#owner.onError(error);
    }
    this.#owner.onIdle();
  }

  /**
   * Handles a message, at once if it can.
   *
   * @returns Whether there was room for it.
   */
  push(message: RawMessage): boolean {
    if (this.isBusy) return this.#wait(message);
    try {
      const result = this.#owner.handle(message);
      if (isThenable(result)) this.#drain(result);
    } catch (error) {
      this.#owner.onError(error);
    }
    return true;
  }

  /** Drops the messages that wait. */
  clear(): void {
    this.#messages.length = 0;
    this.#size = 0;
  }

  #wait(message: RawMessage): boolean {
    const { maxQueued, maxQueuedBytes } = this.#limits;
    const size = this.#size + message.length;
    if (this.#messages.length >= maxQueued || size > maxQueuedBytes) {
      return false;
    }
    this.#messages.push(message);
    this.#size = size;
    return true;
  }

  /** Waits for the handler that runs, then handles all that waits. */
  async #drain(running: PromiseLike<unknown>): Promise<void> {
    this.isBusy = true;
    let result: unknown = running;
    for (;;) {
      try {
        if (isThenable(result)) await result;
        const message = this.#messages.shift();
        if (message === undefined) break;
        this.#size -= message.length;
        result = undefined;
        result = this.#owner.handle(message);
      } catch (error) {
        result = undefined;
        this.#owner.onError(error);
      }
    }
    this.isBusy = false;
    this.#owner.onIdle();
  }
}
