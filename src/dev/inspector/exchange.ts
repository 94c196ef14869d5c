import type { Bytes } from "../../core/request/content.ts";
import { createEventParser } from "../../shared/event_parser.ts";
import { mediaType } from "../../core/common/media_type.ts";
import { recordOf } from "../../core/request/record.ts";
import { startTiming } from "../../core/operation/observe.ts";
import { BodyCopy } from "./body_copy.ts";
import {
  type Header,
  requestHeaders,
  responseHeaders,
  valueOf,
} from "./deno_inner.ts";
import { RequestTap } from "./request_tap.ts";
import { type StreamWatcher, tapResponse } from "./response_tap.ts";
import { Recording, type RecordingOptions, reportOnce } from "./recording.ts";

/** The most characters of an event that has not ended. */
const MAX_EVENT = 1024 * 1024;

/** Feeds a recording with the request, its body and its response. */
export class Exchange {
  readonly recording: Recording;
  readonly #request: Request;
  readonly #headers: readonly Header[];
  readonly #tap: RequestTap | undefined;

  constructor(request: Request, id: number, options: RecordingOptions) {
    const { url, method } = request;
    const body = new BodyCopy();
    this.#request = request;
    this.#headers = requestHeaders(request);
    // Deno gives these methods no body.
    this.#tap = method === "GET" || method === "HEAD"
      ? undefined
      : new RequestTap(request, body);
    this.recording = new Recording(request, {
      id,
      time: Date.now(),
      start: startTiming(request).start,
      method,
      url: url.slice(url.indexOf("/", "https://".length)),
      request: { headers: this.#headers, body },
      logs: [],
    }, options);
  }

  /** Records a response, and returns it. */
  respond(response: Response): Response | Promise<Response> {
    const reading = this.#tap?.readUnread(this.#headers);
    return reading === undefined
      ? this.#record(response)
      : reading.then(() => this.#record(response));
  }

  /** Records an error of the handler, and throws it; the server responds with 500. */
  fail(error: unknown): never {
    this.recording.failed(error);
    this.recording.respond(500, { headers: [], body: new BodyCopy() }, false);
    throw error;
  }

  #record(response: Response): Response {
    try {
      const { status } = response;
      const headers = responseHeaders(response);
      const body = new BodyCopy();
      const isOpen = status === 101
        // Of all sockets, only those of `socket()` report their messages.
        ? recordOf(this.#request)?.onBrokenUpgrade !== undefined
        : this.#request.method !== "HEAD" &&
          tapResponse(response, body, () => this.#watcher(headers, body));
      this.recording.respond(status, { headers, body }, isOpen);
    } catch (error) {
      reportOnce(error);
    }
    return response;
  }

  /** Records the body of a response that is a stream. */
  #watcher(headers: readonly Header[], body: BodyCopy): StreamWatcher {
    const { recording } = this;
    const type = mediaType(valueOf(headers, "content-type") ?? null);
    let events = type === "text/event-stream" ? createEventParser() : undefined;
    return {
      sent(chunk) {
        // After a chunk of another type, Deno ends the response.
        if (!(chunk instanceof Uint8Array)) return;
        if (events === undefined) return body.add(chunk as Bytes);
        body.size += chunk.length;
        for (const { event, data } of events.read(chunk)) {
          const isNamed = event !== "message";
          const text = isNamed ? `event: ${event}\n${data}` : data;
          recording.message("server", text);
        }
        if (events.size > MAX_EVENT) events = createEventParser();
      },
      ended(by, error) {
        body.isComplete = by === "server" && error === undefined;
        if (error !== undefined) recording.failed(error);
        recording.end({ by });
      },
    };
  }
}
