import { LONGEST_DELAY } from "../core/common/deadline.ts";
import { isSafe } from "../core/methods.ts";
import { createEventParser } from "../shared/event_parser.ts";
import { mediaType } from "../core/common/media_type.ts";
import type { SignalOption } from "./call_types.ts";
import {
  EventsError,
  type EventsIterator,
  type ReceivedEvent,
  type StreamOptions,
} from "./live_types.ts";
import { readResponse } from "./read_response.ts";

/** The request of an event stream. */
export interface EventsCall extends StreamOptions, SignalOption {
  readonly method: string;
  readonly path: string;
  /** Sends the request, with further headers. */
  connect(
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<Response>;
}

/** Reads the events of a call, over several connections if needed. */
export function readEvents(
  call: EventsCall,
): EventsIterator<ReceivedEvent, never> {
  const {
    method,
    path,
    idleTimeout = 45_000,
    maxEventSize = 2 ** 24,
    resume = isSafe(method),
  } = call;
  const name = `${method} "${path}"`;
  const ending = new AbortController();
  const signal = AbortSignal.any([ending.signal, call.signal ?? []].flat());
  let lastEventId = call.lastEventId ?? "";
  let retry = DEFAULT_RETRY;
  /** The number of failed attempts in a row. */
  let failures = 0;
  /** The number of connections in a row that ended within a second. */
  let quickEnds = 0;
  /**
   * Whether to reconnect after an error: `false` before the first connection, and for
   * malformed events.
   */
  let mayResume = false;
  let refusal: EventsError | undefined;

  async function* read(): AsyncGenerator<ReceivedEvent, undefined> {
    while (!isOver()) {
      let retryAfter = 0;
      const begin = Date.now();
      failures++;
      const connection = new AbortController();
      try {
        const response = await connect(connection.signal);
        const { headers, status } = response;
        const type = mediaType(headers.get("content-type"));
        if (status === 204) return;
        if (status === 200 && type === "text/event-stream") {
          yield* eventsOf(response);
          if (!resume && !isOver()) return;
        } else retryAfter = await refused(response);
      } catch (error) {
        if (isOver()) return;
        // The network or the option `fetch` failed.
        if (!mayResume) throw error;
      } finally {
        connection.abort();
      }
      quickEnds = Date.now() - begin > 1_000 ? 0 : quickEnds + 1;
      const shortest = Math.max(shortestTime(quickEnds), retryAfter);
      await wait(Math.max(waitingTime(retry, failures), shortest), signal);
    }
  }

  /**
   * Whether the caller has ended the loop.
   *
   * @throws The reason of the caller's signal, as `fetch` does.
   */
  function isOver(): boolean {
    call.signal?.throwIfAborted();
    return signal.aborted;
  }

  async function connect(connection: AbortSignal): Promise<Response> {
    const headers = {
      accept: "text/event-stream",
      ...(lastEventId !== "" && { "last-event-id": asHeader(lastEventId) }),
    };
    const response = call.connect(
      headers,
      AbortSignal.any([signal, connection]),
    );
    try {
      return await inTime(response);
    } catch (error) {
      // The option `fetch` may ignore signals, and respond later.
      response.then(({ body }) => body?.cancel()).catch(() => {});
      throw error;
    }
  }

  /**
   * Waits for a result of the server. Ends the wait if the server is silent for too
   * long or the caller ends the loop.
   */
  async function inTime<Type>(work: Promise<Type>): Promise<Type> {
    const result = await wait(idleTimeout || Infinity, signal, work);
    if (result !== undefined) return result;
    throw new Error(
      `Cannot read events of ${name}: the server was silent for ${idleTimeout} ms`,
    );
  }

  async function* eventsOf({ body }: Response): AsyncGenerator<ReceivedEvent> {
    mayResume = resume;
    if (body === null) return;
    const reader = body.getReader();
    const parser = createEventParser(lastEventId);
    const begin = Date.now();
    try {
      while (true) {
        const { value } = await inTime(reader.read());
        if (value === undefined) return;
        mayResume = false;
        const events = parser.read(value);
        retry = parser.retry ?? retry;
        // Keep the count if a stream ends at once without events, so that the pause
        // grows.
        if (events.length > 0 || Date.now() - begin > 1_000) failures = 0;
        for (const each of events) {
          if (isOver()) return;
          const { event } = each;
          const received = { event, data: parseData(event, each.data) };
          lastEventId = each.lastEventId;
          yield { ...received, lastEventId: lastEventId || undefined };
        }
        lastEventId = parser.lastEventId;
        if (parser.size > maxEventSize) {
          throw errorOf(`an event has more than ${maxEventSize} characters`);
        }
        mayResume = resume;
      }
    } finally {
      // The body of a response from the option `fetch` may ignore the signal.
      await reader.cancel().catch(() => {});
    }
  }

  /** @throws {SyntaxError} If the data are malformed JSON. */
  function parseData(event: string, data: string): unknown {
    try {
      return JSON.parse(data);
    } catch (cause) {
      const fault = `event "${event}" of ${name}: its data are malformed JSON`;
      throw new SyntaxError(`Cannot read ${fault}`, { cause });
    }
  }

  function errorOf(reason: string): RangeError {
    return new RangeError(`Cannot continue ${name}: ${reason}`);
  }

  /**
   * Handles a response that is not an event stream.
   *
   * @returns The shortest time to wait before the next attempt, in milliseconds.
   * @throws {EventsError} If another attempt would not help.
   */
  async function refused(response: Response): Promise<number> {
    const { body, status } = response;
    // RFC 9110 (15.5.9), RFC 8470 and RFC 6585 (4) permit another attempt after these
    // statuses.
    const isTemporary = status >= 500 || [408, 425, 429].includes(status);
    if (mayResume && isTemporary) {
      await body?.cancel();
      return retryAfterOf(response);
    }
    mayResume = false;
    const result = await inTime(readResponse(response, method));
    throw refusal = new EventsError(name, result);
  }

  /**
   * Encodes an id for a header as UTF-8, like browsers (HTML, 9.2.4).
   *
   * @throws {RangeError} If the id has control characters (RFC 9110, 5.5).
   */
  function asHeader(id: string): string {
    if (/[^\t\P{Cc}]/u.test(id)) {
      mayResume = false;
      throw errorOf(`a header cannot contain the id ${JSON.stringify(id)}`);
    }
    return Array.from(
      new TextEncoder().encode(id),
      (byte) => String.fromCharCode(byte),
    ).join("");
  }

  const events = read();
  return {
    next: () => events.next(),
    return() {
      ending.abort();
      return events.return(undefined);
    },
    [Symbol.asyncIterator]() {
      return this;
    },
    isRefusal: (error): error is EventsError & { result: never } =>
      refusal !== undefined && error === refusal,
  };
}

/**
 * The time, in milliseconds, before reconnecting if the server did not send `retry`.
 * Browsers wait for a similar time.
 */
const DEFAULT_RETRY = 3_000;

/** The maximum time that failed attempts add, in milliseconds. */
const MAX_GROWTH = 30_000;

/**
 * Returns the time to wait before a new connection, in milliseconds. The time grows
 * with each failed attempt, partly at random, so that the clients of a failed server do
 * not all reconnect at once.
 *
 * @param retry The time to wait after a successful connection.
 * @param failures The number of failed attempts since the last successful connection.
 */
export function waitingTime(retry: number, failures: number): number {
  // With the minimum of 100, a very short time grows, too. If there are no failures,
  // the growth is 0 even if `retry` is `Infinity`.
  const growth = failures && Math.max(retry, 100) * (2 ** failures - 1);
  return retry + Math.random() * Math.min(growth, MAX_GROWTH);
}

/**
 * Returns the shortest time before a new connection, in milliseconds, for any `retry`.
 * Without this minimum, a server that ends each stream after one event would receive
 * hundreds of requests per second.
 *
 * @param quickEnds The number of connections in a row that ended within a second.
 */
export function shortestTime(quickEnds: number): number {
  return quickEnds && Math.min(10 * 2 ** quickEnds, 1_000);
}

/**
 * Reads the time of `Retry-After` (RFC 9110, 10.2.3), in milliseconds; 0 if the header
 * is missing.
 */
export function retryAfterOf({ headers }: Response): number {
  const value = headers.get("retry-after") ?? "";
  const time = /^\d+$/.test(value)
    ? +value * 1_000
    : Date.parse(value) - Date.now();
  // For an invalid date, the time is `NaN`, which is not above 0.
  return time > 0 ? time : 0;
}

/**
 * Waits until the work is done, the time in milliseconds has passed or the signal
 * aborts, whichever happens first.
 *
 * @returns The result of the work; `undefined` if the time or the signal ended the
 * wait.
 */
export async function wait<Type = never>(
  milliseconds: number,
  signal: AbortSignal | null,
  ...work: Promise<Type>[]
): Promise<Type | undefined> {
  const stopped = Promise.withResolvers<undefined>();
  const stop = () => stopped.resolve(undefined);
  const timer = setTimeout(stop, Math.min(milliseconds, LONGEST_DELAY));
  signal?.addEventListener("abort", stop);
  if (signal?.aborted) stop();
  try {
    return await Promise.race([...work, stopped.promise]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", stop);
  }
}
