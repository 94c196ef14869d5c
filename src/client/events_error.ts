import type { Reading } from "./read_response.ts";
import type { UndeclaredResult } from "./result_types.ts";
import type { KnownStatus } from "./status.ts";

/** Thrown where the server responds with something else than a stream of events. */
export class EventsError extends Error {
  /** The name of the error class. */
  override name = "EventsError";
  /**
   * The response as a call would have read it, with `status`, `problem` and `data`.
   * {@linkcode EventsIterator.isRefusal} types it.
   */
  readonly result: UndeclaredResult<KnownStatus>;

  /** Takes the call, such as `GET "/orders/[id]/events"`, and its response. */
  constructor(call: string, reading: Reading) {
    const result = reading as UndeclaredResult<KnownStatus>;
    const { status, problem, response } = result;
    const type = response.headers.get("content-type");
    super(
      `Cannot read events of ${call}: the response has status ${status}` +
        (problem !== undefined
          ? `, ${problem.detail ?? problem.title}`
          : status === 200
          ? ` and content type "${type}"`
          : ""),
    );
    this.result = result;
  }
}
