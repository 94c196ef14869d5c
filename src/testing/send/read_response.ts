import { resultWithin } from "../../common/deadline.ts";
import { createEventParser } from "../../common/event_parser.ts";
import { mediaType } from "../../common/media_type.ts";
import { jsonFaults } from "../../schema/check_response.ts";
import type { EventSchemas } from "../../types/schema.ts";
import type { Operation } from "../operation.ts";

/** The parts of a response that were read. */
export interface ReadResponse {
  readonly status: number;
  readonly headers: Headers;
  /**
   * The body; `undefined` if the response has no body, or if only a part of the body
   * was read.
   */
  readonly body: Uint8Array<ArrayBuffer> | undefined;
  /** Whether reading stopped before the end of the body, as for an event stream. */
  readonly isCut: boolean;
  /** The first events of an event stream. */
  readonly stream: string;
  /** The error with which an event stream failed. */
  readonly failure?: string;
}

/** The maximum number of bytes to read from a body. */
const MAX_BODY = 10 * 1024 * 1024;

/** The maximum number of characters to read from an event stream. */
const MAX_STREAM = 64 * 1024;

/** Milliseconds to wait for the whole body. */
const BODY_TIME = 1_000;

/** Milliseconds to wait for declared events. */
const EVENT_TIME = 100;

/** Milliseconds to wait for an error of an undeclared stream. */
const FAILURE_TIME = 10;

/** Milliseconds to wait for another event after the first event. */
const NEXT_TIME = 10;

/** Milliseconds to wait for the cancellation of an event stream. */
const CANCEL_TIME = 100;

/** The milliseconds for which to read an event stream of an operation. */
export function eventTimeOf({ schema: { events } }: Operation): number {
  return events === undefined ? FAILURE_TIME : EVENT_TIME;
}

/**
 * Reads a response, but only the beginning of a stream of events.
 *
 * @param eventTime Milliseconds to wait for an event; with 0, the events are not
 * awaited.
 */
export async function readResponse(
  response: Response,
  eventTime: number,
): Promise<ReadResponse> {
  const { status, headers } = response;
  const base = { status, headers, body: undefined, stream: "" };
  if (response.body === null) return { ...base, isCut: false };
  if (mediaType(headers.get("content-type")) === "text/event-stream") {
    const events = await readFirstEvents(response.body, eventTime);
    return { ...base, isCut: true, ...events };
  }
  const reader = response.body.getReader();
  const end = performance.now() + BODY_TIME;
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  let rest = BODY_TIME;
  try {
    // A steady flow of chunks would delay a single timer, so each read has its own
    // timer.
    for (; size < MAX_BODY && rest > 0; rest = end - performance.now()) {
      const chunk = await resultWithin(reader.read(), rest);
      if (chunk === undefined) break;
      if (chunk.done) {
        const body = new Uint8Array(size);
        let start = 0;
        for (const chunk of chunks) {
          body.set(chunk, start);
          start += chunk.length;
        }
        return { ...base, body, isCut: false };
      }
      chunks.push(chunk.value);
      size += chunk.value.length;
    }
  } finally {
    reader.cancel().catch(() => {});
  }
  return { ...base, isCut: true };
}

/** Reads the first events of a stream, and cancels the stream. */
async function readFirstEvents(
  body: ReadableStream<Uint8Array>,
  eventTime: number,
): Promise<Pick<ReadResponse, "stream" | "failure">> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const end = performance.now() + eventTime;
  let stream = "";
  let failure: { failure?: string } = {};
  let rest = eventTime;
  while (rest > 0 && stream.length < MAX_STREAM) {
    try {
      const chunk = await resultWithin(reader.read(), rest);
      if (chunk === undefined || chunk.done) break;
      stream += decoder.decode(chunk.value, { stream: true });
    } catch (error) {
      failure = { failure: `the stream of events failed: ${error}` };
      break;
    }
    rest = end - performance.now();
    if (eventsOf(stream).length > 0) rest = Math.min(rest, NEXT_TIME);
  }
  await resultWithin(reader.cancel().catch(() => {}), CANCEL_TIME);
  // Waits for the error that a generator of events may log when it ends.
  if (eventTime > 0) await new Promise((resolve) => setTimeout(resolve));
  return { stream, ...failure };
}

/**
 * Describes the fault of the first event that does not fit its schema.
 *
 * @param declared The schemas of event data, by the name of the event.
 * @param text The beginning of an event stream.
 */
export async function eventFault(
  declared: EventSchemas,
  text: string,
): Promise<string | undefined> {
  for (const { name, data } of eventsOf(text)) {
    const schema = Object.hasOwn(declared, name) ? declared[name] : undefined;
    if (schema === undefined) return `an event "${name}" that is not declared`;
    let value: unknown;
    try {
      value = JSON.parse(data);
    } catch {
      return `an event "${name}" whose data are not JSON`;
    }
    const faults = await jsonFaults(schema, value);
    if (faults !== "") {
      return `an event "${name}" that does not fit its schema: ${faults}`;
    }
  }
  return undefined;
}

/** The complete events at the beginning of an event stream. */
export function eventsOf(
  text: string,
): { readonly name: string; readonly data: string }[] {
  return createEventParser().read(new TextEncoder().encode(text))
    .map(({ event: name, data }) => ({ name, data }));
}
