import { isObject, spellValue } from "../common/values.ts";
import type { SchemaOutput, Sendable } from "../types/responses.ts";
import type { EventSchemas, StandardSchemaV1 } from "../types/schema.ts";

/** What each event may carry beside its data. */
export interface EventFields {
  /**
   * Where the client is after this event: it sends the last one back as
   * `Last-Event-ID` when it reconnects. A number, or a text of printable ASCII
   * that is not empty, without a space at either end.
   */
  readonly id?: string | number | undefined;
  /** How long the client waits from now on before it reconnects, in milliseconds. */
  readonly retry?: number | undefined;
  /** A text of one line that clients ignore, for whoever reads the stream itself. */
  readonly comment?: string | undefined;
}

/**
 * What `events()` sends: a union by the names of the events that the method declares.
 * Where it declares none, an event may have any name, and any data.
 *
 * What has neither `event` nor `data` is no event: it moves the client's
 * `Last-Event-ID` on, say.
 *
 * @typeParam Schema The schemas of the method, such as `typeof schema.get`.
 */
export type EventOf<Schema> =
  | NamedEvent<DeclaredEvents<Schema>>
  | UnnamedEvent<DeclaredEvents<Schema>>
  | EventFields & { readonly event?: undefined; readonly data?: undefined };

/**
 * The events that a method declares; any where it declares none.
 *
 * @typeParam Schema The schemas of the method.
 */
export type DeclaredEvents<Schema> = Schema extends
  { readonly events: infer Declared extends EventSchemas } ? Declared
  : EventSchemas & { readonly message: StandardSchemaV1 };

/**
 * An event with its name. Conditions on the name would make the compiler forget the
 * names that a generator writes.
 *
 * @typeParam Declared The schemas of the data, by the name of the event.
 */
export type NamedEvent<Declared> = {
  [Name in keyof Declared & string]: EventFields & {
    /** The name of the event, on one line. */
    readonly event: Name;
    /** What is sent, as JSON. */
    readonly data: Sendable<SchemaOutput<Declared[Name]>>;
  };
}[keyof Declared & string];

/**
 * The event `message`, which needs no name.
 *
 * @typeParam Declared The schemas of the data, by the name of the event.
 */
export type UnnamedEvent<Declared> = Declared extends
  { readonly message: infer Message } ? EventFields & {
    /** Without a name, clients call it `message`. */
    readonly event?: undefined;
    /** What is sent, as JSON. */
    readonly data: Sendable<SchemaOutput<Message>>;
  }
  : never;

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
  throw wrong("retry", "a whole number of milliseconds above 0", retry);
}

function wrong(field: string, expected: string, value: unknown): TypeError {
  return new TypeError(
    `"${field}" must be ${expected}, got ${spellValue(value)}`,
  );
}

/** Whether a value is a time that a client can be asked to wait, in milliseconds. */
export function isRetry(retry: unknown): retry is number {
  return Number.isSafeInteger(retry) && retry as number > 0;
}

function checkedId(id: unknown): string {
  const text = typeof id === "number" && Number.isFinite(id) ? String(id) : id;
  if (typeof text === "string" && isEventId(text)) return text;
  const expected = "a number or printable ASCII without a space at its ends";
  throw wrong("id", expected, id);
}

function oneLine(text: unknown, field: string): string {
  if (typeof text === "string" && /^[^\r\n]+$/.test(text)) return text;
  throw wrong(field, "a text of one line", text);
}

/**
 * Whether a text is the id of an event: printable ASCII, since it comes back in a
 * header, and nothing that clients or servers would trim.
 */
export function isEventId(text: string): boolean {
  return /^[!-~](?:[ -~]*[!-~])?$/.test(text);
}
