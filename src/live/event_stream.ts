import { LONGEST_DELAY } from "../core/common/deadline.ts";
import { log } from "../core/common/log.ts";
import { isAbort, quoted } from "../core/common/values.ts";
import type { OpenConnection } from "../core/request/connections.ts";
import { declaredJson, type LiveRoute, reportError } from "./live_route.ts";
import {
  jsonMismatch,
  ResponseSchemaError,
} from "../core/schema/check_response.ts";
import { watchExpiries } from "./end_on.ts";
import { jsonOf, type SentEvent, textOf } from "./event_text.ts";

export interface EventStreamParts {
  readonly request: Request;
  readonly route: LiveRoute | undefined;
  /** Creates the events. The signal aborts when the stream ends. */
  readonly generate: (signal: AbortSignal) => AsyncIterable<SentEvent>;
  /** The text to send before the first event. */
  readonly first: string | undefined;
  /** The time between heartbeats, in milliseconds; `Infinity` sends none. */
  readonly heartbeat: number;
}

/** An empty comment, which clients ignore. */
const HEARTBEAT = ":\n\n";

const UTF8 = new TextEncoder();

/**
 * The source of a body that streams events. Starts the generator at the first read, and
 * requests an event only at a read. If a middleware discards the response, the
 * generator never starts.
 */
export class EventStream implements UnderlyingDefaultSource<Uint8Array> {
  readonly #parts: EventStreamParts;
  readonly #check: EventCheck | undefined;
  readonly #ending = new AbortController();
  readonly #connection: OpenConnection = {
    end: () => this.#close(abortError("The server stopped listening")),
  };
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  #iterator: AsyncIterator<SentEvent> | undefined;
  #timer: ReturnType<typeof setInterval> | undefined;
  #unwatch: () => void = () => {};
  /** Whether the reader is waiting; heartbeats are sent only to a waiting reader. */
  #isReaderWaiting = false;
  #isGenerating = false;
  #isStarted = false;
  #isOver = false;

  constructor(parts: EventStreamParts) {
    this.#parts = parts;
    this.#check = parts.route && createEventCheck(parts.route);
  }

  start(controller: ReadableStreamDefaultController<Uint8Array>): void {
    this.#controller = controller;
  }

  pull(): void {
    this.#isReaderWaiting = true;
    // This read follows a heartbeat, and the generator is still creating an event.
    if (this.#isGenerating) return;
    try {
      if (!this.#isStarted) this.#start();
      else if (!this.#isOver) this.#sendNext();
    } catch (error) {
      this.#fail(error);
    }
  }

  cancel(): void {
    this.#end(abortError("The client disconnected"));
  }

  #start(): void {
    this.#isStarted = true;
    const { request, route, first, heartbeat } = this.#parts;
    route?.connections.add(this.#connection);
    // The stream has already ended if the server has stopped listening.
    if (this.#isOver) return;
    this.#unwatch = watchExpiries(request, (reason) => this.#close(reason));
    if (this.#isOver) return;
    if (heartbeat !== Infinity) {
      this.#timer = setInterval(() => {
        if (this.#isReaderWaiting) this.#enqueue(HEARTBEAT);
      }, Math.min(heartbeat, LONGEST_DELAY));
      // The timer alone must not keep the process alive.
      Deno.unrefTimer(this.#timer);
    }
    if (first !== undefined) this.#enqueue(first);
    else this.#sendNext();
  }

  #sendNext(): void {
    this.#iterator ??= this.#parts.generate(this.#ending.signal)
      [Symbol.asyncIterator]();
    this.#isGenerating = true;
    // This code runs for each event, so a closure or an `async` function would cost
    // time. Like `for await`, `Promise.resolve()` accepts an iterator that returns
    // plain values.
    Promise.resolve(this.#iterator.next()).then(this.#onResult, this.#fail);
  }

  readonly #onResult = (result: IteratorResult<SentEvent>): void => {
    if (this.#isOver) return;
    try {
      // Read the result within `try`, since the result may be a primitive or have
      // throwing getters.
      const { done, value } = result;
      if (done) return this.#close(abortError("The events have ended"));
      const { text, json } = this.#declared(value, jsonOf(value));
      const event = textOf(value, text);
      if (this.#check === undefined || json === undefined) this.#send(event);
      else {
        this.#check(value.event ?? "message", json)
          .then(() => this.#send(event)).catch(this.#fail);
      }
    } catch (error) {
      this.#fail(error);
    }
  };

  /** The JSON of an event without the members that its schema does not declare. */
  #declared(
    { event = "message", data: value }: SentEvent,
    json: string | undefined,
  ): Record<"text" | "json", string | undefined> {
    const { route } = this.#parts;
    const { events = {} } = route?.schema ?? {};
    if (!route || json === undefined || !Object.hasOwn(events, event)) {
      return { text: json, json };
    }
    const what = `event "${event}"`;
    return declaredJson(route, events[event]!, { value, json, what });
  }

  #send(event: string): void {
    if (this.#isOver) return;
    // Set this before `enqueue()`, which may call `pull()`.
    this.#isGenerating = false;
    this.#enqueue(event);
  }

  #enqueue(chunk: string): void {
    this.#isReaderWaiting = false;
    this.#controller!.enqueue(UTF8.encode(chunk));
  }

  /** Ends the stream after an error of the generator or of an event. */
  readonly #fail = (error: unknown): void => {
    this.#report(error);
    this.#close(error);
  };

  #close(reason: unknown): void {
    if (this.#isOver) return;
    this.#end(reason);
    this.#controller!.close();
  }

  /** Releases all resources. Does not await the generator, which may hang. */
  #end(reason: unknown): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearInterval(this.#timer);
    this.#unwatch();
    this.#parts.route?.connections.remove(this.#connection);
    this.#ending.abort(reason);
    // The method of a custom iterator may throw synchronously.
    void Promise.try(() => this.#iterator?.return?.())
      .catch((error) => this.#report(error));
  }

  /** Logs an error, unless the end of the stream caused the error. */
  #report(error: unknown): void {
    const { aborted, reason } = this.#ending.signal;
    if (aborted && (error === reason || isAbort(error))) return;
    const { request, route } = this.#parts;
    void reportError(error, request, { route, what: "the stream of events" });
  }
}

function abortError(message: string): DOMException {
  return new DOMException(message, "AbortError");
}

/** Checks the JSON of an event; rejects if the JSON is invalid. */
type EventCheck = (name: string, json: string) => Promise<void>;

/**
 * Creates the check of the events of a route, if the route needs a check. Like the
 * check of responses, this check reads the JSON that is sent.
 */
function createEventCheck(
  { schema: { events }, application: { validateResponses }, place }: LiveRoute,
): EventCheck | undefined {
  if (events === undefined || validateResponses === false) return undefined;
  return async (name, json) => {
    let fault = "";
    if (Object.hasOwn(events, name)) {
      const { text } = await jsonMismatch(events[name]!, JSON.parse(json));
      if (text !== "") fault = `does not fit its schema: ${text}`;
    } else {
      const names = quoted(Object.keys(events));
      fault = `is not declared; declare it in "events" next to ${names}`;
    }
    if (fault === "") return;
    const message = `event "${name}" ${fault}`;
    if (validateResponses !== "warn") throw new ResponseSchemaError(message);
    log({ level: "warning", place, message });
  };
}
