import type { SignalOption } from "./call_types.ts";
import { createEventParser, type ParsedEvent } from "./event_parser.ts";
import { EventsError } from "./events_error.ts";
import type {
  EventsIterator,
  ReceivedEvent,
  StreamOptions,
} from "./events_types.ts";
import { mediaTypeOf, parseJson, readResponse } from "./read_response.ts";
import {
  DEFAULT_RETRY,
  isTemporary,
  retryAfterOf,
  setTimer,
  wait,
  waitingTime,
} from "./reconnect.ts";

/** How a stream of events is asked for. */
export interface EventsCall extends StreamOptions, SignalOption {
  readonly method: string;
  readonly path: string;
  /** Sends the request, with further headers. */
  connect(
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<Response>;
}

/** Reads the events of a call, over as many connections as it takes. */
export function readEvents(
  call: EventsCall,
): EventsIterator<ReceivedEvent, never> {
  const { method, path, idleTimeout = 45_000, resume = method === "GET" } =
    call;
  const name = `${method} "${path}"`;
  const leaver = new AbortController();
  const signals = [leaver.signal, call.signal ?? []].flat();
  const signal = AbortSignal.any(signals);
  let lastEventId = call.lastEventId ?? "";
  let retry = DEFAULT_RETRY;
  let failures = 0;
  /** Whether there was a connection already. What fails before that is thrown. */
  let wasOpen = false;
  /** The error that no new connection mends. */
  let fatal: unknown;

  async function* read(): AsyncGenerator<ReceivedEvent, undefined> {
    while (!isOver()) {
      let retryAfter = 0;
      try {
        const response = await connect();
        const { status } = response;
        if (status === 204) return;
        if (status === 200 && mediaTypeOf(response) === "text/event-stream") {
          yield* eventsOf(response);
          if (!resume && !isOver()) return;
        } else retryAfter = await refused(response);
      } catch (error) {
        if (isOver()) return;
        // Later on, it is the network that fails, or the caller's own `fetch`.
        if (!wasOpen || !resume || error === fatal) throw error;
        failures++;
      }
      await wait(Math.max(waitingTime(retry, failures), retryAfter), signal);
    }
  }

  /**
   * Whether the caller has left.
   *
   * @throws What the caller's signal aborted with, as `fetch` does.
   */
  function isOver(): boolean {
    call.signal?.throwIfAborted();
    return signal.aborted;
  }

  function connect(): Promise<Response> {
    const headers = {
      accept: "text/event-stream",
      ...(lastEventId !== "" && { "last-event-id": asBytes(lastEventId) }),
    };
    return call.connect(headers, signal);
  }

  async function* eventsOf({ body }: Response): AsyncGenerator<ReceivedEvent> {
    wasOpen = true;
    failures = 0;
    if (body === null) return;
    const reader = body.getReader();
    // A response that did not come over the network knows nothing of the signal.
    const cancel = () => reader.cancel().catch(() => {});
    signal.addEventListener("abort", cancel);
    const parser = createEventParser(lastEventId);
    try {
      while (true) {
        let fault: unknown;
        const timer = setTimer(() => {
          fault = new Error(`${name} was silent for ${idleTimeout} ms`);
          cancel();
        }, idleTimeout || Infinity);
        const { value } = await reader.read().catch((error) => {
          fault = error;
          return { value: undefined };
        });
        clearTimeout(timer);
        // A connection that breaks is one that ends, where there will be another.
        if (fault !== undefined && !resume) throw fault;
        if (value === undefined) return;
        const events = parser.read(value);
        retry = parser.retry ?? retry;
        for (const each of events) {
          if (isOver()) return;
          const data = dataOf(each);
          lastEventId = each.lastEventId;
          yield {
            event: each.event,
            data,
            lastEventId: lastEventId || undefined,
          };
        }
        lastEventId = parser.lastEventId;
      }
    } finally {
      signal.removeEventListener("abort", cancel);
      await cancel();
    }
  }

  function dataOf({ event, data }: ParsedEvent): unknown {
    try {
      return parseJson(data, `event "${event}" of ${name}: its data are`);
    } catch (error) {
      throw fatal = error;
    }
  }

  /**
   * Takes another response than a stream, and returns the time in milliseconds that
   * it asks to wait.
   *
   * @throws {EventsError} If waiting will not help.
   */
  async function refused(response: Response): Promise<number> {
    if (wasOpen && isTemporary(response)) {
      failures++;
      await response.body?.cancel();
      return retryAfterOf(response);
    }
    throw fatal = new EventsError(name, await readResponse(response, call));
  }

  const events = read();
  return {
    next: () => events.next(),
    return() {
      leaver.abort();
      return events.return(undefined);
    },
    [Symbol.asyncIterator]() {
      return this;
    },
    isRefusal: (error): error is EventsError & { result: never } =>
      error instanceof EventsError && error === fatal,
  };
}

/** A header holds bytes: those of UTF-8, as browsers send it (HTML, 9.2.4). */
function asBytes(id: string): string {
  return String.fromCharCode(...new TextEncoder().encode(id));
}
