import { logWarning } from "../common/log.ts";
import { isAbort } from "../common/values.ts";
import type { OpenConnection } from "../record/connections.ts";
import { type LiveRoute, reportError } from "./live_route.ts";
import { jsonFaults, ResponseSchemaError } from "../schema/check_response.ts";
import { watchEnds } from "./end_on.ts";
import { jsonOf, type SentEvent, textOf } from "./event_text.ts";

/** What a stream of events is made of. */
export interface EventStreamParts {
  /** The request. */
  readonly request: Request;
  /** Its route, where it has one. */
  readonly route: LiveRoute | undefined;
  /** Makes the events. The signal aborts when nobody needs them any more. */
  readonly generate: (signal: AbortSignal) => AsyncIterable<SentEvent>;
  /** What is sent first, if not an event. */
  readonly first: string | undefined;
  /** The time between heartbeats, in milliseconds; none at `Infinity`. */
  readonly heartbeat: number;
}

/** A comment without a text, which clients ignore. */
const HEARTBEAT = ":\n\n";

const UTF8 = new TextEncoder();

/**
 * The source of a body that streams events. It asks the generator for an event only
 * when the reader asks for more, and starts it at the first time: what a middleware
 * throws away costs nothing.
 */
export class EventStream implements UnderlyingDefaultSource<Uint8Array> {
  readonly #parts: EventStreamParts;
  readonly #check: EventCheck | undefined;
  readonly #ending = new AbortController();
  readonly #connection: OpenConnection = {
    end: () => this.#close(abortError("The server listens no more")),
  };
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  #iterator: AsyncIterator<SentEvent> | undefined;
  #first: string | undefined;
  #timer: ReturnType<typeof setInterval> | undefined;
  #unwatch: () => void = () => {};
  /** Whether the reader waits. A heartbeat that nobody waits for is not sent. */
  #isWanted = false;
  /** Whether the generator is at work on the next event. */
  #isAsked = false;
  #isStarted = false;
  #isOver = false;

  constructor(parts: EventStreamParts) {
    this.#parts = parts;
    this.#first = parts.first;
    this.#check = parts.route && createEventCheck(parts.route);
  }

  start(controller: ReadableStreamDefaultController<Uint8Array>): void {
    this.#controller = controller;
  }

  pull(): void {
    this.#isWanted = true;
    // A heartbeat went out since the generator was asked.
    if (this.#isAsked) return;
    try {
      if (!this.#isStarted) this.#start();
      if (!this.#isOver) this.#sendNext();
    } catch (error) {
      this.#fail(error);
    }
  }

  cancel(): void {
    this.#end(abortError("The client has left"));
  }

  #start(): void {
    this.#isStarted = true;
    const { request, route, heartbeat } = this.#parts;
    route?.connections.add(this.#connection);
    // The server listens no more.
    if (this.#isOver) return;
    this.#unwatch = watchEnds(request, (reason) => this.#close(reason));
    if (this.#isOver || heartbeat === Infinity) return;
    this.#timer = setInterval(() => {
      if (this.#isWanted) this.#enqueue(HEARTBEAT);
    }, heartbeat);
    // It is the server that keeps the process alive.
    Deno.unrefTimer(this.#timer);
  }

  #sendNext(): void {
    if (this.#first !== undefined) {
      const first = this.#first;
      this.#first = undefined;
      return this.#enqueue(first);
    }
    this.#iterator ??= this.#parts.generate(this.#ending.signal)
      [Symbol.asyncIterator]();
    this.#isAsked = true;
    // Without a closure or an `async` function for each event: this is the hot path.
    // An iterator written by hand may return no promise, as in a `for await` loop.
    Promise.resolve(this.#iterator.next()).then(this.#onResult, this.#fail);
  }

  readonly #onResult = (result: IteratorResult<SentEvent>): void => {
    if (this.#isOver) return;
    try {
      // Here, since it may be no object, or have members that throw.
      const { done, value } = result;
      if (done) return this.#close(abortError("The events are over"));
      const json = jsonOf(value);
      const text = textOf(value, json);
      if (this.#check === undefined || json === undefined) this.#send(text);
      else {
        this.#check(value.event ?? "message", json)
          .then(() => this.#send(text)).catch(this.#fail);
      }
    } catch (error) {
      this.#fail(error);
    }
  };

  #send(text: string): void {
    if (this.#isOver) return;
    // First, since the reader may ask for more at once.
    this.#isAsked = false;
    this.#enqueue(text);
  }

  #enqueue(text: string): void {
    this.#isWanted = false;
    this.#controller!.enqueue(UTF8.encode(text));
  }

  /** Ends the stream with an error of the generator, or of what it made. */
  readonly #fail = (error: unknown): void => {
    this.#report(error);
    this.#close(error);
  };

  #close(reason: unknown): void {
    if (this.#isOver) return;
    this.#end(reason);
    this.#controller!.close();
  }

  /** Lets go of everything. It waits for nobody: a generator may never wake. */
  #end(reason: unknown): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearInterval(this.#timer);
    this.#unwatch();
    this.#parts.route?.connections.remove(this.#connection);
    this.#ending.abort(reason);
    // An iterator written by hand may throw at once.
    void Promise.try(() => this.#iterator?.return?.())
      .catch((error) => this.#report(error));
  }

  /** Logs an error, but for one that only says that the stream is over. */
  #report(error: unknown): void {
    const { aborted, reason } = this.#ending.signal;
    if (aborted && (error === reason || isAbort(error))) return;
    const { request, route } = this.#parts;
    void reportError(error, request, { route, what: "its stream of events" });
  }
}

function abortError(message: string): DOMException {
  return new DOMException(message, "AbortError");
}

/** Checks the JSON of an event; rejects if it does not fit. */
type EventCheck = (name: string, json: string) => Promise<void>;

/**
 * Makes the check of the events of a route: `undefined` where there is nothing to
 * check. It reads what is sent, as the check of responses does.
 */
function createEventCheck(
  { schema: { events }, validateResponses, place }: LiveRoute,
): EventCheck | undefined {
  if (events === undefined || validateResponses === false) return undefined;
  return async (name, json) => {
    let fault = "";
    if (Object.hasOwn(events, name)) {
      const faults = await jsonFaults(events[name]!, JSON.parse(json));
      if (faults !== "") fault = `does not fit its schema: ${faults}`;
    } else {
      const names = Object.keys(events).map((each) => `"${each}"`).join(", ");
      fault = `is not declared; declare it in "events" beside ${names}`;
    }
    if (fault === "") return;
    const message = `its event "${name}" ${fault}`;
    if (validateResponses !== "warn") throw new ResponseSchemaError(message);
    logWarning(`${place}: ${message}`);
  };
}
