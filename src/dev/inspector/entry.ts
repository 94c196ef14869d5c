import type { ValidationIssue } from "../../core/errors.ts";

/**
 * One request as page and tools receive it: JSON, in which placeholders such as
 * `«authorization»` replace the secrets.
 */
export interface RequestEntry {
  /** The number of the request since the start of the program. */
  readonly id: number;
  /** Grows with each change of any entry; the page asks only for later versions. */
  readonly version: number;
  /**
   * `running` before the handler has responded, `open` while a stream or a socket
   * continues, and `done` afterwards.
   */
  readonly state: "running" | "open" | "done";
  /** The time of arrival, as an ISO date. */
  readonly time: string;
  readonly method: string;
  /** The path and the query; `…` before the route is known. */
  readonly url: string;
  /** The pattern of the route; absent if none matched. */
  readonly route?: string;
  /** The file of the route, or the option that responded. */
  readonly file?: string;
  readonly isDeprecated: boolean;
  /** Absent before the response, and if the client disconnected. */
  readonly status?: number;
  /** The time until the response, or until its body has ended, in milliseconds. */
  readonly duration: number;
  /** The steps, in the order in which they began. */
  readonly steps: readonly EntryStep[];
  readonly request: EntryMessage;
  /** The values that the path captured. */
  readonly params: Readonly<Record<string, string>>;
  readonly wildcardParams?: readonly string[];
  /** The validated values by part, such as `query`; absent before validation. */
  readonly validated?: Readonly<Record<string, unknown>>;
  readonly issues: readonly ValidationIssue[];
  /** The error that the request failed with, even if it has an expected status. */
  readonly error?: EntryError;
  /** The lines that Bough logged during the request. */
  readonly logs: readonly EntryLog[];
  readonly response?: EntryMessage;
  /** The messages of a stream of events or of a socket; the oldest may be dropped. */
  readonly messages: readonly EntryText[];
  /** The number of messages, including those dropped. */
  readonly messageCount: number;
  /** Who ended the stream or the socket; absent for other responses. */
  readonly ended?: {
    readonly by: "client" | "server";
    readonly code?: number;
    readonly reason?: string;
  };
  /** The names of the secrets that were replaced, such as `authorization`. */
  readonly secrets: readonly string[];
  /** The request as a command and as a test; absent if it cannot be repeated. */
  readonly copies?: { readonly curl: string; readonly test: string };
  /** Why the request cannot be repeated, such as `its body is not shown`. */
  readonly unrepeatable?: string;
}

/** A measured step of a request, in milliseconds since its arrival. */
export interface EntryStep {
  readonly name: "route" | "middleware" | "validate" | "handler";
  /** The file of a middleware. */
  readonly file?: string;
  readonly start: number;
  readonly duration: number;
}

export interface EntryMessage {
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body?: EntryBody;
}

export interface EntryBody {
  /** The media type, without parameters; `""` if there is none. */
  readonly type: string;
  /** The number of bytes; absent if nothing read a body without `Content-Length`. */
  readonly size?: number;
  /**
   * The text of JSON or of a form, if all of it was read, and has at most 16 KiB. A
   * multipart form is shown as JSON.
   */
  readonly text?: string;
}

export interface EntryError {
  /** The name and the message, as they are: `TypeError: x is not a function`. */
  readonly text: string;
  /** The text for agents, if it is another one. */
  readonly agents?: string;
  readonly frames: readonly EntryFrame[];
  readonly cause?: EntryError;
}

export interface EntryFrame {
  /** The line, without `at`: `GET (api/books/route.ts:12:9)`. */
  readonly text: string;
  /** The absolute path of a file of the program. */
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
  /** The lines of the file around this one. */
  readonly source?: readonly { readonly line: number; readonly text: string }[];
}

/** A line of Bough's log, as it is. */
export interface EntryLog extends EntryText {
  readonly level: string;
  /** The text for agents, if it is another one. */
  readonly agents?: string;
}

/** Text with its time in milliseconds since the arrival of the request. */
export interface EntryText {
  readonly time: number;
  readonly text: string;
  /** Who sent the message of a socket; absent for logs. */
  readonly from?: "client" | "server";
}
