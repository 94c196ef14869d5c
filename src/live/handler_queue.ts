import { isThenable } from "../core/common/values.ts";
import type { RawMessage, SocketOptions } from "./socket_types.ts";

/** The owner of a queue, with the functions that the queue calls. */
export interface QueueOwner {
  /** Returns a promise if the handler is asynchronous. */
  readonly handle: (message: RawMessage) => unknown;
  /** Called with the error of a handler. The queue continues, unless it is cleared. */
  readonly onError: (error: unknown) => void;
  /** Called when a handler has ended and no message is queued. */
  readonly onIdle: () => void;
}

type QueueLimits = Required<
  Pick<SocketOptions, "maxQueued" | "maxQueuedBytes">
>;

/**
 * Handles messages one after another. If handlers are synchronous, the queue handles
 * each message when it arrives, without a promise.
 */
export class HandlerQueue {
  readonly #owner: QueueOwner;
  readonly #limits: QueueLimits;
  readonly #messages: RawMessage[] = [];
  #size = 0;
  /** Whether a handler is running. */
  isBusy = false;

  constructor(owner: QueueOwner, limits: QueueLimits) {
    this.#owner = owner;
    this.#limits = limits;
  }

  /** Runs a step, and queues the messages that arrive before the step ends. */
  run(step: () => unknown): void {
    try {
      const result = step();
      if (isThenable(result)) this.#drain(result);
    } catch (error) {
      this.#owner.onError(error);
    }
  }

  /**
   * Handles a message at once, or queues the message if a handler is running.
   *
   * @returns Whether the limits allow the message.
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

  /** Waits for the running handler, then handles all queued messages. */
  async #drain(running: PromiseLike<unknown>): Promise<void> {
    this.isBusy = true;
    let result: unknown = running;
    for (;;) {
      try {
        if (isThenable(result)) await result;
        const message = this.#messages.shift();
        if (message === undefined) break;
        this.#size -= message.length;
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
