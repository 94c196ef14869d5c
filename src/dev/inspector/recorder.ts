import { AsyncLocalStorage } from "node:async_hooks";
import { createEventParser } from "../../core/common/event_parser.ts";
import { mediaType } from "../../core/common/media_type.ts";
import type {
  Observer,
  RequestHandler,
  SocketEnd,
} from "../../core/record/application.ts";
import { recordOf } from "../../core/record/record.ts";
import { startTiming } from "../../core/request/server_timing.ts";
import type { Bytes } from "../../core/body/read.ts";
import {
  BodyCopy,
  type Header,
  requestHeaders,
  RequestTap,
  responseHeaders,
  type StreamWatcher,
  tapResponse,
  valueOf,
} from "./bodies.ts";
import { Entries, type EntryFilter } from "./entries.ts";
import type { RequestEntry } from "./entry.ts";
import { watchOutput } from "./output.ts";
import { Recording, type RecordingOptions } from "./recording.ts";
import { secretNames } from "./secret_names.ts";
import { withSource } from "./stack.ts";

/** The most characters of an event. */
const MAX_EVENT = 1024 * 1024;

/** The recording of the request that caused the current call. */
const CURRENT = new AsyncLocalStorage<Recording>();

const RECORDING = Symbol("bough recording");

type RecordedRequest = Request & { [RECORDING]?: Recording };

let isWatching = false;

/** Passes what is logged to the request that caused it; once for the process. */
function watchLogs(): void {
  if (isWatching) return;
  isWatching = true;
  watchOutput(
    () => CURRENT.getStore() !== undefined,
    (level, text) => CURRENT.getStore()!.log(level, text),
  );
}

/** Records the requests to an application, and keeps the last ones in memory. */
export class Recorder implements Omit<Observer, "around"> {
  readonly #entries = new Entries();
  readonly #options: RecordingOptions;
  #lastId = 0;

  /** @param options The names of further secrets, such as `["licence"]`. */
  constructor(options: { readonly secrets: readonly string[] }) {
    this.#options = {
      isSecret: secretNames(options.secrets),
      onChange: (recording, added) => this.#entries.changed(recording, added),
    };
  }

  /** Lists entries, the newest first, and the version for the next call. */
  list(filter?: EntryFilter): ReturnType<Entries["list"]> {
    return this.#entries.list(filter);
  }

  /** Returns one entry, with the lines of source around the frames of its error. */
  get(id: number): RequestEntry | undefined {
    const entry = this.#entries.get(id);
    return entry?.error === undefined ? entry : {
      ...entry,
      error: withSource(entry.error, Date.parse(entry.time)),
    };
  }

  /** Returns the id of a request that `around()` received. */
  idOf(request: Request): number | undefined {
    return (request as RecordedRequest)[RECORDING]?.id;
  }

  around(handler: RequestHandler): RequestHandler {
    watchLogs();
    return (request, info) => {
      const { recording, headers, tap } = this.#begin(request);
      const respond = (response: Response) => {
        const reading = tap?.readUnread(headers);
        return reading === undefined
          ? record(recording, request, response)
          : reading.then(() => record(recording, request, response));
      };
      const fail = (error: unknown) => {
        recording.failed(error);
        recording.respond(500, { headers: [], body: new BodyCopy() }, false);
        throw error;
      };
      try {
        const response = CURRENT.run(recording, handler, request, info);
        return response instanceof Response
          ? respond(response)
          : response.then(respond, fail);
      } catch (error) {
        return fail(error);
      }
    };
  }

  failed(request: Request, thrown: unknown): void {
    // A thrown response is not an error.
    if (thrown instanceof Response) return;
    (request as RecordedRequest)[RECORDING]?.failed(thrown);
  }

  socketMessage(
    request: Request,
    from: "client" | "server",
    data: string | ArrayBuffer | ArrayBufferView,
  ): void {
    const text = typeof data === "string" ? data : `${data.byteLength} bytes`;
    (request as RecordedRequest)[RECORDING]?.message(from, text);
  }

  socketEnded(request: Request, { by, code, reason }: SocketEnd): void {
    (request as RecordedRequest)[RECORDING]?.end({ by, code, reason });
  }

  #begin(request: RecordedRequest) {
    const { start } = startTiming(request);
    const { url, method } = request;
    const headers = requestHeaders(request);
    const body = new BodyCopy();
    const tap = method === "GET" || method === "HEAD"
      ? undefined
      : new RequestTap(request, body);
    const recording = new Recording(request, {
      id: ++this.#lastId,
      time: Date.now(),
      start,
      method,
      url: url.slice(url.indexOf("/", "https://".length)),
      request: { headers, body },
      logs: [],
    }, this.#options);
    request[RECORDING] = recording;
    this.#entries.add(recording);
    return { recording, headers, tap };
  }
}

/** Records a response, and returns it. */
function record(
  recording: Recording,
  request: Request,
  response: Response,
): Response {
  const { status } = response;
  const headers = responseHeaders(response);
  const body = new BodyCopy();
  const isOpen = status === 101
    // A socket of `socket()` shows its messages.
    ? recordOf(request)?.onBrokenUpgrade !== undefined
    : request.method !== "HEAD" &&
      tapResponse(response, body, () => watcher(recording, headers, body));
  recording.respond(status, { headers, body }, isOpen);
  return response;
}

/** Records the body of a response that is a stream. */
function watcher(
  recording: Recording,
  headers: readonly Header[],
  body: BodyCopy,
): StreamWatcher {
  const type = mediaType(valueOf(headers, "content-type") ?? null);
  const events = type === "text/event-stream" ? new EventCopy() : undefined;
  return {
    sent(chunk) {
      // Deno ends the response if a chunk has another type.
      if (!(chunk instanceof Uint8Array)) return;
      if (events === undefined) return body.add(chunk as Bytes);
      body.size += chunk.length;
      for (const text of events.read(chunk)) recording.message("server", text);
    },
    ended(by, error) {
      body.isComplete = by === "server" && error === undefined;
      if (error !== undefined) recording.failed(error);
      recording.end({ by });
    },
  };
}

/** The events of a stream, as text. */
class EventCopy {
  #parser = createEventParser();

  read(chunk: Uint8Array): string[] {
    const events = this.#parser.read(chunk);
    // An event that never ends must not fill the memory.
    if (this.#parser.size > MAX_EVENT) this.#parser = createEventParser();
    return events.map(({ event, data }) =>
      event === "message" ? data : `event: ${event}\n${data}`
    );
  }
}
