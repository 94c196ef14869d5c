import { resultWithin } from "../../core/common/deadline.ts";
import {
  createEventParser,
  type ParsedEvent,
} from "../../shared/event_parser.ts";
import { mediaType } from "../../core/common/media_type.ts";
import { jsonMismatch } from "../../core/schema/check_response.ts";
import type { Mismatch } from "../../core/schema/run_schema.ts";
import type {
  EventSchemas,
  StandardSchemaV1,
} from "../../core/types/schema.ts";
import type { SeenError } from "../../shared/process_watch.ts";
import type { Patience } from "../patience.ts";

/** An error in this process during an exchange, or a failure of the exchange itself. */
export type ExchangeError = SeenError | {
  /** No response in time, no response for another reason, or a stream that failed. */
  readonly kind: "timeout" | "missing" | "stream";
  readonly text: string;
};

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

/** Milliseconds to wait for the cancellation of a stream. */
const CANCEL_TIME = 100;

/**
 * Reads a response, but only the beginning of a stream of events.
 *
 * @param patience How long to wait for events; not at all by default.
 */
export async function readResponse(
  response: Response,
  patience?: Patience,
): Promise<ReadResponse> {
  const { status, headers } = response;
  const base = { status, headers, body: undefined, isCut: false, stream: "" };
  if (response.body === null) return base;
  const reader = response.body.getReader();
  const isStream =
    mediaType(headers.get("content-type")) === "text/event-stream";
  try {
    if (isStream) {
      const read = patience && await readEvents(reader, patience);
      return { ...base, isCut: true, ...read };
    }
    const body = await readWhole(reader);
    return { ...base, body, isCut: body === undefined };
  } finally {
    await resultWithin(reader.cancel().catch(() => {}), CANCEL_TIME);
    // Waits for the error that a generator of events may log when it ends.
    if (patience && isStream) {
      await new Promise((resolve) => setTimeout(resolve));
    }
  }
}

/** Reads a body; `undefined` if it is too large or takes too long. */
async function readWhole(
  reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  const end = performance.now() + BODY_TIME;
  // A steady flow of chunks would delay a single timer.
  for (let size = 0, rest = BODY_TIME; size < MAX_BODY && rest > 0;) {
    const chunk = await resultWithin(reader.read(), rest);
    if (chunk === undefined) return undefined;
    if (chunk.done) {
      // A `Blob` takes ten times as long as a copy.
      return chunks.length === 1
        ? chunks[0]!.slice()
        : await new Blob(chunks).bytes();
    }
    chunks.push(chunk.value);
    size += chunk.value.length;
    rest = end - performance.now();
  }
  return undefined;
}

/** Reads the events that arrive before the patience is exhausted. */
async function readEvents(
  reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>,
  patience: Patience,
): Promise<Pick<ReadResponse, "stream" | "failure">> {
  const decoder = new TextDecoder();
  const parser = createEventParser();
  let stream = "";
  let count = 0;
  let failure: { failure?: string } = {};
  const read = async () => {
    for (let size = 0; size < MAX_STREAM;) {
      const { done, value } = await reader.read();
      if (done) return;
      size += value.length;
      stream += decoder.decode(value, { stream: true });
      count += parser.read(value).length;
    }
  };
  read().catch((error) => {
    failure = { failure: `the stream of events failed: ${error}` };
  }).finally(() => count = Infinity);
  await patience.wait(() => count);
  return { stream, ...failure };
}

/** Describes the fault of the first event that does not fit its schema. */
export async function eventFault(
  declared: EventSchemas,
  events: readonly ParsedEvent[],
): Promise<Mismatch | undefined> {
  for (const { event: name, data } of events) {
    const schema = Object.hasOwn(declared, name) ? declared[name] : undefined;
    const fault = schema === undefined
      ? { text: "that is not declared", at: [] }
      : await dataFault(schema, data);
    if (fault !== undefined) {
      const at = fault.at.map((place) => `${name} ${place}`);
      return { text: `an event "${name}" ${fault.text}`, at };
    }
  }
  return undefined;
}

/** Describes how the text of an event or a message differs from its schema. */
export async function dataFault(
  schema: StandardSchemaV1,
  json: string,
): Promise<Mismatch | undefined> {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return { text: "whose data are not JSON", at: [] };
  }
  const { text, at } = await jsonMismatch(schema, value);
  return text === ""
    ? undefined
    : { text: `that does not fit its schema: ${text}`, at };
}

/** The complete events at the beginning of an event stream. */
export function eventsOf(text: string): ParsedEvent[] {
  return createEventParser().read(new TextEncoder().encode(text));
}
