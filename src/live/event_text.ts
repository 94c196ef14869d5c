import { isObject, spellValue } from "../common/values.ts";
import type { EventFields } from "./event_types.ts";

/** What a generator yields, of whatever schema. */
export interface SentEvent extends EventFields {
  readonly event?: string | undefined;
  readonly data?: unknown;
}

/**
 * Makes JSON of the data of an event; `undefined` where there is no event. A text
 * becomes JSON as well, so that a client needs no schema to read it. JSON has no line
 * break and is never empty, both of which the format would change.
 *
 * @throws {TypeError} If they have no JSON form, or the event has no data.
 */
export function jsonOf(sent: SentEvent): string | undefined {
  if (!isObject(sent)) {
    throw new TypeError(
      `An event must be an object such as { data }, got ${spellValue(sent)}`,
    );
  }
  const { event, data } = sent;
  if (data !== undefined) {
    const json: unknown = JSON.stringify(data);
    if (typeof json === "string") return json;
    throw new TypeError(
      `The data of event "${event ?? "message"}" have no JSON form`,
    );
  }
  if (event === undefined) return undefined;
  throw new TypeError(
    `Event "${event}" has no data, so clients would ignore it; send null`,
  );
}

/**
 * Writes an event as clients read it (HTML, 9.2.6). `ServerSentEventStream` of
 * `@std/http` writes the same, but sends a third fewer events a second
 * (`tests/bench/live/events.ts`), and leaves out an id of 0.
 *
 * @param json The data.
 * @throws {TypeError} If a field cannot be sent.
 */
export function textOf(
  { comment, event, id, retry }: SentEvent,
  json: string | undefined,
): string {
  let text = "";
  if (comment !== undefined) text += `: ${oneLine(comment, "comment")}\n`;
  // Clients call an event "message" that has no name.
  if (event !== undefined && event !== "message") {
    text += `event: ${oneLine(event, "event")}\n`;
  }
  if (json !== undefined) text += `data: ${json}\n`;
  if (id !== undefined) text += `id: ${checkedId(id)}\n`;
  if (retry !== undefined) text += retryText(retry);
  if (text !== "") return `${text}\n`;
  throw new TypeError("An event has nothing to send; give it data");
}

/**
 * Writes how long a client waits before it reconnects.
 *
 * @throws {TypeError} If it is no whole number of milliseconds above 0.
 */
export function retryText(retry: unknown): string {
  if (isRetry(retry)) return `retry: ${retry}\n`;
  throw new TypeError(
    `"retry" must be a whole number of milliseconds above 0, got ${
      spellValue(retry)
    }`,
  );
}

/** Whether a value is a time that a client can be asked to wait, in milliseconds. */
export function isRetry(retry: unknown): retry is number {
  return Number.isSafeInteger(retry) && retry as number > 0;
}

function checkedId(id: unknown): string {
  const text = typeof id === "number" && Number.isFinite(id) ? String(id) : id;
  if (typeof text === "string" && isEventId(text)) return text;
  throw new TypeError(
    `"id" must be a number or printable ASCII without a space at its ends, got ${
      spellValue(id)
    }`,
  );
}

function oneLine(text: unknown, field: string): string {
  if (typeof text === "string" && /^[^\r\n]+$/.test(text)) return text;
  throw new TypeError(
    `"${field}" must be a text of one line, got ${spellValue(text)}`,
  );
}

/**
 * Whether a text is the id of an event: printable ASCII, since it comes back in a
 * header, and nothing that clients or servers would trim.
 */
export function isEventId(text: string): boolean {
  return /^[!-~](?:[ -~]*[!-~])?$/.test(text);
}
