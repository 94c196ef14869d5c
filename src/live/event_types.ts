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
