import { LONGEST_DELAY } from "../common/deadline.ts";
import { createEventParser } from "../common/event_parser.ts";
import { mediaType } from "../common/media_type.ts";
import type { SignalOption } from "./call_types.ts";
import {
  EventsError,
  type EventsIterator,
  type ReceivedEvent,
  type StreamOptions,
} from "./live_types.ts";
import { parseJson, readResponse } from "./read_response.ts";

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
  const {
    method,
    path,
    idleTimeout = 45_000,
    maxEventSize = 2 ** 24,
    resume = method === "GET",
  } = call;
  const name = `${method} "${path}"`;
  const leaver = new AbortController();
  const signals = [leaver.signal, call.signal ?? []].flat();
  const signal = AbortSignal.any(signals);
  let lastEventId = call.lastEventId ?? "";
  let retry = DEFAULT_RETRY;
  /** How many attempts brought nothing, since one that did. */
  let failures = 0;
  /** How many connections have ended at once, since one that did not. */
  let quickEnds = 0;
  /**
   * Whether another connection may mend what fails: not before there was one, and not
   * where it is the events that are wrong.
   */
  let mayResume = false;
  let refusal: EventsError | undefined;

  async function* read(): AsyncGenerator<ReceivedEvent, undefined> {
    while (!isOver()) {
      let retryAfter = 0;
      const begin = Date.now();
      failures++;
      const leavingConnection = new AbortController();
      try {
        const response = await connect(leavingConnection.signal);
        const { headers, status } = response;
        const type = mediaType(headers.get("content-type"));
        if (status === 204) return;
        if (status === 200 && type === "text/event-stream") {
          yield* eventsOf(response);
          if (!resume && !isOver()) return;
        } else retryAfter = await refused(response);
      } catch (error) {
        if (isOver()) return;
        // It is the network that failed, or the caller's own `fetch`.
        if (!mayResume) throw error;
      } finally {
        leavingConnection.abort();
      }
      quickEnds = Date.now() - begin > 1_000 ? 0 : quickEnds + 1;
      const shortest = Math.max(shortestTime(quickEnds), retryAfter);
      await wait(Math.max(waitingTime(retry, failures), shortest), signal);
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

  async function connect(left: AbortSignal): Promise<Response> {
    const headers = {
      accept: "text/event-stream",
      ...(lastEventId !== "" && { "last-event-id": asHeader(lastEventId) }),
    };
    const response = call.connect(headers, AbortSignal.any([signal, left]));
    try {
      return await inTime(response);
    } catch (error) {
      // A `fetch` that knows nothing of signals may respond later on.
      response.then(({ body }) => body?.cancel()).catch(() => {});
      throw error;
    }
  }

  /** Waits for the server, unless it is silent for too long, or the caller leaves. */
  async function inTime<Type>(work: Promise<Type>): Promise<Type> {
    const result = await wait(idleTimeout || Infinity, signal, work);
    if (result !== undefined) return result;
    throw new Error(`${name} was silent for ${idleTimeout} ms`);
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
        // Streams that end at once would come one after another without a pause.
        if (events.length > 0 || Date.now() - begin > 1_000) failures = 0;
        for (const each of events) {
          if (isOver()) return;
          const { event, data } = each;
          const place = `event "${event}" of ${name}: its data are`;
          const received = { event, data: parseJson(data, place) };
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
      // A response that did not come over the network knows nothing of the signal.
      await reader.cancel().catch(() => {});
    }
  }

  function errorOf(reason: string): RangeError {
    return new RangeError(`Cannot go on with ${name}: ${reason}`);
  }

  /**
   * Takes another response than a stream, and returns the time in milliseconds that
   * it asks to wait.
   *
   * @throws {EventsError} If waiting will not help.
   */
  async function refused(response: Response): Promise<number> {
    const { body, status } = response;
    // RFC 9110, 15.5.9; RFC 8470; RFC 6585, 4.
    const isTemporary = status >= 500 || [408, 425, 429].includes(status);
    if (mayResume && isTemporary) {
      await body?.cancel();
      return retryAfterOf(response);
    }
    mayResume = false;
    const result = await inTime(readResponse(response, call));
    throw refusal = new EventsError(name, result);
  }

  /**
   * An id as a header holds it: the bytes of UTF-8, as browsers send it (HTML, 9.2.4).
   *
   * @throws {RangeError} If it has control characters (RFC 9110, 5.5).
   */
  function asHeader(id: string): string {
    if (/[^\t\P{Cc}]/u.test(id)) {
      mayResume = false;
      throw errorOf(`no header can hold the id ${JSON.stringify(id)}`);
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
      leaver.abort();
      return events.return(undefined);
    },
    [Symbol.asyncIterator]() {
      return this;
    },
    isRefusal: (error): error is EventsError & { result: never } =>
      refusal !== undefined && error === refusal,
  };
}

/** How long browsers wait, too, where the server does not say, in milliseconds. */
const DEFAULT_RETRY = 3_000;

/** The most that failed attempts add to the time, in milliseconds. */
const MAX_GROWTH = 30_000;

/**
 * How long to wait before a new connection, in milliseconds. After the first failed
 * attempt it grows, by chance: clients that lost the same server do not come back
 * all at once.
 *
 * @param retry The time after a connection that was open.
 * @param failures How many attempts have failed since then.
 */
export function waitingTime(retry: number, failures: number): number {
  // A time of next to nothing has to grow, too.
  // Without failures it is 0, also where `retry` is too long for a number.
  const growth = failures && Math.max(retry, 100) * (2 ** failures - 1);
  return retry + Math.random() * Math.min(growth, MAX_GROWTH);
}

/**
 * The shortest time before a new connection, in milliseconds, whatever `retry` says: a
 * server that sends one event and ends would be asked hundreds of times a second.
 *
 * @param quickEnds How many connections in a row have ended within a second.
 */
export function shortestTime(quickEnds: number): number {
  return quickEnds && Math.min(10 * 2 ** quickEnds, 1_000);
}

/** What `Retry-After` asks for (RFC 9110, 10.2.3), in milliseconds; 0 if nothing. */
export function retryAfterOf({ headers }: Response): number {
  const value = headers.get("retry-after") ?? "";
  const time = /^\d+$/.test(value)
    ? +value * 1_000
    : Date.parse(value) - Date.now();
  // `NaN`, of an invalid date, is not above 0.
  return time > 0 ? time : 0;
}

/**
 * Waits for work, for a time in milliseconds, until a signal aborts: for what is first.
 *
 * @returns What the work results in, and nothing where it was not the first.
 */
export async function wait<Type = never>(
  milliseconds: number,
  signal: AbortSignal,
  ...work: Promise<Type>[]
): Promise<Type | undefined> {
  const over = Promise.withResolvers<undefined>();
  const stop = () => over.resolve(undefined);
  const timer = setTimeout(stop, Math.min(milliseconds, LONGEST_DELAY));
  signal.addEventListener("abort", stop);
  if (signal.aborted) stop();
  try {
    return await Promise.race([...work, over.promise]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
  }
}
