import { resultWithin } from "../../common/deadline.ts";
import {
  createEventParser,
  type ParsedEvent,
} from "../../common/event_parser.ts";
import { mediaType } from "../../common/media_type.ts";
import { jsonFaults } from "../../schema/check_response.ts";
import type { EventSchemas, StandardSchemaV1 } from "../../types/schema.ts";
import type { Operation } from "../operation.ts";

export interface ReadResponse {
  readonly status: number;
  readonly headers: Headers;
  /** The whole body; `undefined` if there is none, or if only a part was read. */
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

/** The maximum number of bytes to read from an event stream. */
const MAX_STREAM = 64 * 1024;

/** Milliseconds to wait for the whole body. */
const BODY_TIME = 1_000;

/** Milliseconds to wait for declared events. */
const EVENT_TIME = 100;

/** Milliseconds to wait for an error of an undeclared stream. */
const FAILURE_TIME = 10;

/** Milliseconds to wait for another event after the first event. */
const NEXT_TIME = 10;

/** Milliseconds to wait for the cancellation of a stream. */
const CANCEL_TIME = 100;

export function eventTimeOf({ schema: { events } }: Operation): number {
  return events === undefined ? FAILURE_TIME : EVENT_TIME;
}

/**
 * Reads a response, but only the beginning of a stream of events.
 *
 * @param eventTime Milliseconds to wait for an event.
 */
export async function readResponse(
  response: Response,
  eventTime: number,
): Promise<ReadResponse> {
  const { status, headers } = response;
  const base = { status, headers, body: undefined, isCut: false, stream: "" };
  if (response.body === null) return base;
  const type = mediaType(headers.get("content-type"));
  const isStream = type === "text/event-stream";
  const most = isStream ? MAX_STREAM : MAX_BODY;
  const time = isStream ? eventTime : BODY_TIME;
  const end = performance.now() + time;
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  let stream = "";
  let failure: { failure?: string } = {};
  let rest = time;
  try {
    // A steady flow of chunks would delay a single timer.
    while (size < most && rest > 0) {
      const chunk = await resultWithin(reader.read(), rest);
      if (chunk?.done && !isStream) {
        return { ...base, body: await new Blob(chunks).bytes() };
      }
      if (chunk === undefined || chunk.done) break;
      size += chunk.value.length;
      rest = end - performance.now();
      if (isStream) {
        stream += decoder.decode(chunk.value, { stream: true });
        if (eventsOf(stream).length > 0) rest = Math.min(rest, NEXT_TIME);
      } else chunks.push(chunk.value);
    }
  } catch (error) {
    if (!isStream) throw error;
    failure = { failure: `the stream of events failed: ${error}` };
  } finally {
    await resultWithin(reader.cancel().catch(() => {}), CANCEL_TIME);
  }
  // Waits for the error that a generator of events may log when it ends.
  if (isStream && time > 0) await new Promise((resolve) => setTimeout(resolve));
  return { ...base, isCut: true, stream, ...failure };
}

/** Describes the fault of the first event that does not fit its schema. */
export async function eventFault(
  declared: EventSchemas,
  events: readonly ParsedEvent[],
): Promise<string | undefined> {
  for (const { event: name, data } of events) {
    const schema = Object.hasOwn(declared, name) ? declared[name] : undefined;
    if (schema === undefined) return `an event "${name}" that is not declared`;
    const fault = await dataFault(schema, data);
    if (fault !== undefined) return `an event "${name}" ${fault}`;
  }
  return undefined;
}

/** Describes how the text of an event or a message differs from its schema. */
export async function dataFault(
  schema: StandardSchemaV1,
  text: string,
): Promise<string | undefined> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return "whose data are not JSON";
  }
  const faults = await jsonFaults(schema, value);
  return faults === "" ? undefined : `that does not fit its schema: ${faults}`;
}

/** The complete events at the beginning of an event stream. */
export function eventsOf(text: string): ParsedEvent[] {
  return createEventParser().read(new TextEncoder().encode(text));
}
