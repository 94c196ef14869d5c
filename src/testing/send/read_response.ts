import { resultWithin } from "../../common/deadline.ts";
import { createEventParser } from "../../common/event_parser.ts";
import { mediaType } from "../../common/media_type.ts";
import { jsonFaults } from "../../schema/check_response.ts";
import type { EventSchemas } from "../../types/schema.ts";
import type { Operation } from "../operation.ts";

/** What was read of a response. */
export interface ReadResponse {
  readonly status: number;
  readonly headers: Headers;
  /** The body; `undefined` if there is none, or if it was not read to its end. */
  readonly body: Uint8Array<ArrayBuffer> | undefined;
  /** Whether there is a body that goes on: that of an event stream. */
  readonly isCut: boolean;
  /** What came of an event stream, as far as it was waited for. */
  readonly stream: string;
  /** How an event stream failed. */
  readonly failure?: string;
}

/** How many bytes of a body are read. */
const MAX_BODY = 10 * 1024 * 1024;

/** How many characters of an event stream are read. */
const MAX_STREAM = 64 * 1024;

/** How long the rest of a body is waited for, in milliseconds. */
const BODY_TIME = 1_000;

/** How long declared events are waited for, in milliseconds. */
const EVENT_TIME = 100;

/** How long any other stream may take to fail, in milliseconds. */
const FAILURE_TIME = 10;

/** How long further events are waited for, once there is one, in milliseconds. */
const NEXT_TIME = 10;

/** How long an event stream has to let go, in milliseconds. */
const CANCEL_TIME = 100;

/** How long a stream of an operation is read, in milliseconds. */
export function eventTimeOf({ schema: { events } }: Operation): number {
  return events === undefined ? FAILURE_TIME : EVENT_TIME;
}

/**
 * Reads a response, but a stream of events only at its beginning.
 *
 * @param eventTime How long an event is waited for, in milliseconds; with 0 none is.
 */
export async function readResponse(
  response: Response,
  eventTime: number,
): Promise<ReadResponse> {
  const { status, headers } = response;
  const head = { status, headers, body: undefined, stream: "" };
  if (response.body === null) return { ...head, isCut: false };
  if (mediaType(headers.get("content-type")) === "text/event-stream") {
    const beginning = await beginningOf(response.body, eventTime);
    return { ...head, isCut: true, ...beginning };
  }
  const reader = response.body.getReader();
  const end = performance.now() + BODY_TIME;
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  let rest = BODY_TIME;
  try {
    // Asked for each time, since no timer comes while chunks do without a pause.
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
        return { ...head, body, isCut: false };
      }
      chunks.push(chunk.value);
      size += chunk.value.length;
    }
  } finally {
    reader.cancel().catch(() => {});
  }
  return { ...head, isCut: true };
}

/** Reads the first events of a stream, and lets it go. */
async function beginningOf(
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
  // What makes the events may say something when it ends.
  if (eventTime > 0) await new Promise((resolve) => setTimeout(resolve));
  return { stream, ...failure };
}

/**
 * Says in words what is wrong with the first event that does not fit.
 *
 * @param declared The schemas of the data, by the name of the event.
 * @param text The beginning of a stream.
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
      return `an event "${name}" whose data are no JSON`;
    }
    const faults = await jsonFaults(schema, value);
    if (faults !== "") {
      return `an event "${name}" that does not fit: ${faults}`;
    }
  }
  return undefined;
}

/** The events that are whole. */
export function eventsOf(
  text: string,
): { readonly name: string; readonly data: string }[] {
  return createEventParser().read(new TextEncoder().encode(text))
    .map(({ event: name, data }) => ({ name, data }));
}
