import { EventParser, type ParsedEvent } from "./event_parser.ts";
import { EventsError } from "./events_error.ts";
import type { EventsIterator, ReceivedEvent } from "./events_types.ts";
import { mediaTypeOf, parseJson, readResponse } from "./read_response.ts";
import {
  isPassing,
  RETRY,
  retryAfterOf,
  setTimer,
  wait,
  waitingTime,
} from "./reconnect.ts";

/** How a stream of events is asked for. */
export interface EventsCall {
  readonly method: string;
  readonly path: string;
  readonly lastEventId: string | undefined;
  readonly signal: AbortSignal | undefined;
  readonly idleTimeout: number | undefined;
  /** Sends the request, with further headers. */
  connect(
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<Response>;
}

/** The events of a call, over as many connections as it takes. */
export class EventsReader implements EventsIterator<ReceivedEvent, unknown> {
  readonly #call: EventsCall;
  readonly #leaving = new AbortController();
  readonly #signal: AbortSignal;
  readonly #events = this.#read();
  #lastEventId: string;
  #retry = RETRY;
  #failures = 0;
  /** Whether there was a connection already. What fails before that is thrown. */
  #wasOpen = false;
  #error: unknown;

  constructor(call: EventsCall) {
    const { signal, lastEventId = "" } = call;
    this.#call = call;
    this.#lastEventId = lastEventId;
    this.#signal = signal === undefined
      ? this.#leaving.signal
      : AbortSignal.any([signal, this.#leaving.signal]);
  }

  next(): Promise<IteratorResult<ReceivedEvent, undefined>> {
    return this.#events.next();
  }

  return(): Promise<IteratorResult<ReceivedEvent, undefined>> {
    this.#leaving.abort();
    return this.#events.return(undefined);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  isRefusal(error: unknown): error is EventsError & { result: never } {
    return error instanceof EventsError && error === this.#error;
  }

  async *#read(): AsyncGenerator<ReceivedEvent, undefined> {
    while (!this.#isOver()) {
      let asked = 0;
      try {
        const response = await this.#connect();
        if (response.status === 204) return;
        if (
          response.status === 200 &&
          mediaTypeOf(response) === "text/event-stream"
        ) yield* this.#eventsOf(response);
        else asked = await this.#refused(response);
      } catch (error) {
        if (this.#isOver()) return;
        // Later on, it is the network that fails, or the caller's own `fetch`.
        if (!this.#wasOpen || error === this.#error) throw error;
        this.#failures++;
      }
      const pause = waitingTime(this.#retry, this.#failures);
      await wait(Math.max(pause, asked), this.#signal);
    }
  }

  /**
   * Whether the caller has left.
   *
   * @throws What the caller's signal aborted with, as `fetch` does.
   */
  #isOver(): boolean {
    this.#call.signal?.throwIfAborted();
    return this.#signal.aborted;
  }

  #connect(): Promise<Response> {
    const id = this.#lastEventId;
    const headers = {
      accept: "text/event-stream",
      ...(id !== "" && { "last-event-id": asBytes(id) }),
    };
    return this.#call.connect(headers, this.#signal);
  }

  async *#eventsOf({ body }: Response): AsyncGenerator<ReceivedEvent> {
    this.#wasOpen = true;
    this.#failures = 0;
    if (body === null) return;
    const reader = body.getReader();
    // A response that did not come over the network knows nothing of the signal.
    const leave = () => reader.cancel().catch(() => {});
    const { idleTimeout = 45_000 } = this.#call;
    this.#signal.addEventListener("abort", leave);
    const parser = new EventParser(this.#lastEventId);
    try {
      while (true) {
        // A connection that breaks is one that ends.
        const timer = setTimer(leave, idleTimeout || Infinity);
        const { value } = await reader.read().catch(() => BROKEN);
        clearTimeout(timer);
        if (value === undefined) return;
        const events = parser.read(value);
        this.#retry = parser.retry ?? this.#retry;
        for (const each of events) {
          if (this.#isOver()) return;
          const { event, lastEventId } = each;
          const data = this.#dataOf(each);
          this.#lastEventId = lastEventId;
          yield { event, data, lastEventId: lastEventId || undefined };
        }
        this.#lastEventId = parser.lastEventId;
      }
    } finally {
      this.#signal.removeEventListener("abort", leave);
      await leave();
    }
  }

  #dataOf({ event, data }: ParsedEvent): unknown {
    try {
      return parseJson(data, `event "${event}" of ${this.#name}: its data are`);
    } catch (error) {
      throw this.#error = error;
    }
  }

  /**
   * Takes another response than a stream, and returns the time in milliseconds that
   * it asks to wait.
   *
   * @throws {EventsError} If waiting will not help.
   */
  async #refused(response: Response): Promise<number> {
    if (this.#wasOpen && isPassing(response)) {
      this.#failures++;
      await response.body?.cancel();
      return retryAfterOf(response);
    }
    const reading = await readResponse(response, this.#call);
    throw this.#error = new EventsError(this.#name, reading);
  }

  get #name(): string {
    return `${this.#call.method} "${this.#call.path}"`;
  }
}

const BROKEN = { value: undefined };

/** A header holds bytes: those of UTF-8, as browsers send it (HTML, 9.2.4). */
function asBytes(id: string): string {
  return String.fromCharCode(...new TextEncoder().encode(id));
}
