import { formatValue, isObject } from "../core/common/values.ts";
import type { SchemaOutput, Sendable } from "../core/types/responses.ts";
import type { EventSchemas, StandardSchemaV1 } from "../core/types/schema.ts";

/** The fields of an event, in addition to its data. */
export interface EventFields {
  /**
   * The id of the event. A client that reconnects sends the last id as `Last-Event-ID`.
   * The id is a number, or a non-empty string of printable ASCII without a space at its
   * ends.
   */
  readonly id?: string | number | undefined;
  /** The time that the client waits before each later reconnection, in milliseconds. */
  readonly retry?: number | undefined;
  /** A comment of one line, for people who read the stream; clients ignore comments. */
  readonly comment?: string | undefined;
}

/**
 * An event that `events()` sends: a union of the events that the method declares. If
 * the method does not declare events, an event may have any name and any data.
 *
 * An event may have neither a name nor data, for example to advance the `Last-Event-ID`
 * of the client with an `id`.
 *
 * @typeParam Schema The schemas of the method, such as `typeof schema.get`.
 */
export type EventOf<Schema> =
  | NamedEvent<DeclaredEvents<Schema>>
  | UnnamedEvent<DeclaredEvents<Schema>>
  | EventFields & { readonly event?: undefined; readonly data?: undefined };

/**
 * The schemas of the events that a method declares. If the method declares no events,
 * any event is allowed.
 *
 * @typeParam Schema The schemas of the method.
 */
export type DeclaredEvents<Schema> = Schema extends
  { readonly events: infer Declared extends EventSchemas } ? Declared
  : EventSchemas & { readonly message: StandardSchemaV1 };

/**
 * An event with its name. This type is a mapped type, since a conditional type would
 * make the compiler widen the names in a generator to `string`.
 *
 * @typeParam Declared The schemas of the data, by the name of the event.
 */
export type NamedEvent<Declared> = {
  [Name in keyof Declared & string]: EventFields & {
    /** The name of the event, on one line. */
    readonly event: Name;
    /** The data, which are sent as JSON. */
    readonly data: Sendable<SchemaOutput<Declared[Name]>>;
  };
}[keyof Declared & string];

/**
 * The event `message`, whose name may be omitted.
 *
 * @typeParam Declared The schemas of the data, by the name of the event.
 */
export type UnnamedEvent<Declared> = Declared extends
  { readonly message: infer Message } ? EventFields & {
    /** Clients call an event without a name `message`. */
    readonly event?: undefined;
    /** The data, which are sent as JSON. */
    readonly data: Sendable<SchemaOutput<Message>>;
  }
  : never;

/** A value that a generator yields, for any schema. */
export interface SentEvent extends EventFields {
  readonly event?: string | undefined;
  readonly data?: unknown;
}

/**
 * Writes the data of an event as JSON. Strings become JSON, too, so that a client can
 * read them without a schema. The format of event streams would change empty strings
 * and line breaks, which cannot occur in JSON.
 *
 * @returns The JSON; `undefined` if both the name and the data are missing.
 * @throws {TypeError} If the data are missing, or cannot be written as JSON.
 */
export function jsonOf(sent: SentEvent): string | undefined {
  if (!isObject(sent)) {
    throw new TypeError(
      `An event must be an object such as { data }, got ${formatValue(sent)}`,
    );
  }
  const { event, data } = sent;
  if (data !== undefined) {
    const json: unknown = JSON.stringify(data);
    if (typeof json === "string") return json;
    throw new TypeError(
      `Cannot write the data of event "${event ?? "message"}" as JSON`,
    );
  }
  if (event === undefined) return undefined;
  throw new TypeError(
    `Event "${event}" has no data, so clients would ignore it; send null`,
  );
}

/**
 * Writes an event in the format of event streams (HTML, 9.2.6). `ServerSentEventStream`
 * of `@std/http` sends a third fewer events per second (`tests/instruments/bench/live/events.ts`),
 * and omits an id of 0.
 *
 * @param json The data as JSON.
 * @throws {TypeError} If a field is invalid.
 */
export function textOf(
  { comment, event, id, retry }: SentEvent,
  json: string | undefined,
): string {
  let text = "";
  if (comment !== undefined) text += `: ${oneLine(comment, "comment")}\n`;
  // Clients call an event without a name "message".
  if (event !== undefined && event !== "message") {
    text += `event: ${oneLine(event, "event")}\n`;
  }
  if (json !== undefined) text += `data: ${json}\n`;
  if (id !== undefined) text += `id: ${checkedId(id)}\n`;
  if (retry !== undefined) text += retryText(retry);
  if (text !== "") return `${text}\n`;
  throw new TypeError("Cannot send an empty event; add data");
}

/**
 * Writes the time that a client waits before it reconnects.
 *
 * @throws {TypeError} If the time is not a whole number of milliseconds above 0.
 */
export function retryText(retry: unknown): string {
  if (isRetry(retry)) return `retry: ${retry}\n`;
  throw wrong("retry", "a whole number of milliseconds above 0", retry);
}

function wrong(field: string, expected: string, value: unknown): TypeError {
  return new TypeError(
    `"${field}" must be ${expected}, got ${formatValue(value)}`,
  );
}

/** Whether a value is a valid `retry` time, in milliseconds. */
export function isRetry(retry: unknown): retry is number {
  return Number.isSafeInteger(retry) && retry as number > 0;
}

function checkedId(id: unknown): string {
  const value = typeof id === "number" && Number.isFinite(id) ? String(id) : id;
  if (typeof value === "string" && isEventId(value)) return value;
  const expected = "a number or printable ASCII without a space at its ends";
  throw wrong("id", expected, id);
}

function oneLine(value: unknown, field: string): string {
  if (typeof value === "string" && /^[^\r\n]+$/.test(value)) return value;
  throw wrong(field, "a string of one line", value);
}

/**
 * Whether a string can be the id of an event. Clients send the id in a header, so the
 * id must be printable ASCII. Spaces at its ends are invalid, since header values are
 * trimmed.
 */
export function isEventId(id: string): boolean {
  return /^[!-~](?:[ -~]*[!-~])?$/.test(id);
}
