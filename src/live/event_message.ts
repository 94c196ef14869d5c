import type { ServerSentEventMessage } from "@std/http/server-sent-event-stream";
import { spellValue } from "../common/spell_value.ts";
import type { EventFields } from "./event_types.ts";
import { isEventId } from "./last_event_id.ts";

/** What a generator yields, of whatever schema. */
export interface SentEvent extends EventFields {
  readonly event?: string | undefined;
  readonly data?: unknown;
}

/**
 * Checks what is sent as it is, and makes JSON of the data. A text becomes JSON as
 * well, so that a client needs no schema to read it; and JSON has no line break, no
 * space at its start, and is never empty, all of which the format would change.
 *
 * @throws {TypeError} If a field cannot be sent.
 */
export function messageOf(sent: SentEvent): ServerSentEventMessage {
  if (typeof sent !== "object" || sent === null) {
    throw new TypeError(
      `An event must be an object such as { data }, not ${spellValue(sent)}`,
    );
  }
  const { event, data, id, retry, comment } = sent;
  const message: ServerSentEventMessage = {};
  if (data !== undefined) message.data = jsonOf(data, event);
  else if (event !== undefined) {
    throw new TypeError(
      `Event "${event}" has no data, so clients would ignore it; send null`,
    );
  }
  // Clients name an event "message" that has no name (HTML, 9.2.6).
  if (event !== undefined && event !== "message") {
    assertLine(event, "event");
    // The first space after the colon is not part of the value.
    message.event = event.startsWith(" ") ? ` ${event}` : event;
  }
  if (id !== undefined) message.id = checkedId(id);
  if (retry !== undefined) message.retry = checkedRetry(retry);
  if (comment !== undefined) {
    assertLine(comment, "comment");
    message.comment = comment;
  }
  return message;
}

/**
 * Checks a time until the client connects anew.
 *
 * @throws {TypeError} If it is no whole number of milliseconds above 0.
 */
export function checkedRetry(retry: unknown): number {
  if (Number.isSafeInteger(retry) && retry as number > 0) {
    return retry as number;
  }
  throw new TypeError(
    `"retry" must be a whole number of milliseconds above 0, got ${
      spellValue(retry)
    }`,
  );
}

function jsonOf(data: unknown, event = "message"): string {
  const json: unknown = JSON.stringify(data);
  if (typeof json === "string") return json;
  throw new TypeError(`The data of event "${event}" have no JSON form`);
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

function assertLine(text: unknown, field: string): asserts text is string {
  if (typeof text === "string" && /^[^\r\n]+$/.test(text)) return;
  throw new TypeError(
    `"${field}" must be a text of one line, got ${spellValue(text)}`,
  );
}
