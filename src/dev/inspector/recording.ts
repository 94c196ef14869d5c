import { Buffer } from "node:buffer";
import { log } from "../../core/common/log.ts";
import { mediaType } from "../../core/common/media_type.ts";
import { isAbort } from "../../core/common/values.ts";
import { startTiming } from "../../core/operation/observe.ts";
import type { Bytes } from "../../core/request/content.ts";
import { recordOf } from "../../core/request/record.ts";
import { createEventParser } from "../../shared/event_parser.ts";
import { MAX_TEXT } from "./body.ts";
import {
  requestHeaders,
  responseHeaders,
  sentBody,
  valueOf,
} from "./deno_inner.ts";
import {
  type Draft,
  type DraftEntry,
  entryOf,
  logFor,
  type RawResponse,
  short,
} from "./draft.ts";
import type { EntryLog, EntryText, RequestEntry } from "./entry.ts";
import { Secrets } from "./redact.ts";
import type { IsSecret } from "./secret_names.ts";
import { watched } from "./stream.ts";

/** The most messages, and the most logs, that are kept of one request. */
const MAX_TEXTS = 200;

export interface RecordingOptions {
  readonly isSecret: IsSecret;
  /** Called after each change, with the number of characters that it added. */
  readonly onChange: (recording: Recording, added: number) => void;
}

/** A request: a draft until the response has ended, then an entry without secrets. */
export class Recording {
  readonly id: number;
  /** The number of the last change. */
  version = 0;
  /** The size in memory, in characters. */
  size = 0;
  /** Whether the recorder has dropped this recording, which then holds nothing. */
  isDropped = false;
  readonly #options: RecordingOptions;
  /** Absent once there is an entry. */
  #draft: Draft | undefined;
  /** The entry as JSON: a part of a string of the request would keep all of it. */
  #entry = "";
  #logs: EntryLog[] = [];
  readonly #messages: EntryText[] = [];
  #messageCount = 0;
  readonly #start: number;
  /** The secrets of a stream or a socket, whose messages may name further ones. */
  #secrets: Secrets | undefined;

  constructor(id: number, request: Request, options: RecordingOptions) {
    this.id = id;
    this.#options = options;
    const time = Date.now();
    this.#start = startTiming(request).start;
    this.#draft = {
      id,
      request,
      headers: requestHeaders(request),
      time,
      start: this.#start,
      state: "running",
    };
  }

  /** Whether the response has ended. */
  get isDone(): boolean {
    return (this.#draft?.state ?? "done") === "done";
  }

  /** The entry; `undefined` if the recording was dropped. */
  get entry(): RequestEntry | undefined {
    return this.#change(() => ({
      ...(this.#draft === undefined
        ? { ...JSON.parse(this.#entry), logs: this.#logs }
        : this.#describe(this.#draft)),
      version: this.version,
      messages: this.#messages,
      messageCount: this.#messageCount,
    }));
  }

  log(level: string, text: string): void {
    this.#change(() => {
      const line = { time: this.#elapsed(), level, text: short(text) };
      const agents = "logged after the request; only the page shows it";
      this.#add(this.#logs, this.#draft ? line : { ...line, agents });
    });
  }

  /** Adds a message of a stream or a socket, which shows only JSON. */
  message(
    from: "client" | "server",
    data: string | ArrayBuffer | ArrayBufferView,
    prefix = "",
  ): void {
    this.#change(() => {
      if (this.#draft?.state !== "open") return;
      const text = typeof data !== "string"
        ? `${data.byteLength} bytes`
        : data.length <= MAX_TEXT && this.#hidden().json(data) ||
          `${data.length} characters`;
      this.#messageCount++;
      // A part of a string would keep all of it, with its secrets.
      const copy: string = JSON.parse(JSON.stringify(prefix + text));
      this.#add(this.#messages, { time: this.#elapsed(), from, text: copy });
    });
  }

  /** Adds the thrown value that made the request fail. */
  failed(thrown: unknown): void {
    this.#change(() => {
      if (this.#draft === undefined) return;
      this.#draft.thrown = { value: thrown };
      this.#changed(0);
    });
  }

  /** Records a response, and returns the one to send. */
  respond(response: Response): Response {
    return this.#change(() => this.#respond(response)) ?? response;
  }

  #respond(response: Response): Response {
    const draft = this.#draft!;
    const { request, thrown } = draft;
    const { status } = response;
    const headers = responseHeaders(response);
    const body = request.method === "HEAD" ? undefined : sentBody(response);
    // The first read of a signal makes Deno print a warning.
    const isDisconnected = isAbort(thrown?.value) && request.signal.aborted;
    const sent: RawResponse = draft.response = {
      headers,
      ...(!isDisconnected && { status }),
    };
    // Of all sockets, only those of `socket()` report their messages.
    const isSocket = status === 101 &&
      recordOf(request)?.onBrokenUpgrade !== undefined;
    // Deno sends the headers of `fetch()` only with its own response.
    const isStream = body instanceof ReadableStream && !response.bodyUsed &&
      !body.locked && response.url === "";
    if (isSocket || isStream) {
      draft.state = "open";
      this.#changed(0);
    } else {
      if (body !== undefined && !(body instanceof ReadableStream)) {
        sent.size = Buffer.byteLength(body);
        if (sent.size <= MAX_TEXT) sent.body = body;
      }
      this.#finish();
    }
    return isStream ? this.#watched(response, body, sent) : response;
  }

  /** Records an error of the handler, and throws it; the server responds with 500. */
  fail(error: unknown): never {
    this.failed(error);
    this.#change(() => {
      this.#draft!.response = { status: 500, headers: [] };
      this.#finish();
    });
    throw error;
  }

  /** Records that a stream or a socket has ended. */
  end(ended: NonNullable<RequestEntry["ended"]>): void {
    this.#change(() => {
      if (this.#draft?.state !== "open") return;
      this.#draft.ended = ended;
      this.#finish();
    });
  }

  /** Removes everything, to save memory. */
  drop(): void {
    this.isDropped = true;
    this.#draft = this.#secrets = undefined;
    this.#entry = "";
    this.#logs.length = this.#messages.length = 0;
  }

  /** Turns the draft of a request that has ended into an entry, and forgets the rest. */
  seal(): void {
    this.#change(() => {
      if (this.#draft?.state !== "done") return;
      const { logs, ...entry } = this.#describe(this.#draft);
      this.#draft = this.#secrets = undefined;
      this.#logs = [...logs];
      this.#entry = JSON.stringify(entry);
      this.#changed(this.#entry.length);
    });
  }

  #describe(draft: Draft): DraftEntry & Pick<RequestEntry, "logs"> {
    const secrets = this.#hidden();
    const known = secrets.names.length;
    let entry = entryOf(draft, secrets);
    // A value may precede the name that makes it a secret.
    if (secrets.names.length > known) entry = entryOf(draft, secrets);
    return { ...entry, logs: this.#logs.map((line) => logFor(line, secrets)) };
  }

  #hidden(): Secrets {
    return this.#secrets ??= new Secrets(this.#options.isSecret);
  }

  #finish(): void {
    const draft = this.#draft!;
    draft.state = "done";
    draft.end = performance.now();
    this.#changed(0);
    const content = recordOf(draft.request)?.body?.content;
    // A long body needs much memory until then.
    if (Number(Object(content).length) > MAX_TEXT) this.seal();
  }

  /** Returns a copy of a response whose stream is recorded while it is sent. */
  #watched(
    response: Response,
    body: ReadableStream<Bytes>,
    sent: RawResponse,
  ): Response {
    const type = mediaType(valueOf(sent.headers, "content-type") ?? null);
    let events = type === "text/event-stream" ? createEventParser() : undefined;
    const chunks: Uint8Array[] = [];
    sent.size = 0;
    const read = (chunk: unknown) => {
      // After a chunk of another type, Deno ends the response.
      if (!(chunk instanceof Uint8Array)) return;
      sent.size! += chunk.length;
      if (!events && sent.size! <= MAX_TEXT) chunks.push(chunk.slice());
      for (const { event, data } of events?.read(chunk) ?? []) {
        const prefix = event === "message" ? "" : `event: ${event}\n`;
        this.message("server", data, prefix);
      }
      if (events && events.size > MAX_TEXT) events = createEventParser();
    };
    const add = (chunk: unknown) => this.#change(() => read(chunk));
    const stream = watched(body, add, (by, error) => {
      // A read that was pending ends after its cancellation.
      if (this.isDone) return;
      if (error !== undefined) this.failed(error);
      else if (by === "server") sent.body = Buffer.concat(chunks);
      this.end({ by });
    });
    const { status, statusText } = response;
    const headers = sent.headers as [string, string][];
    return new Response(stream, { status, statusText, headers });
  }

  /** Makes a change. If a value throws, drops the recording, not the request. */
  #change<Result>(change: () => Result): Result | undefined {
    if (this.isDropped) return;
    try {
      return change();
    } catch (error) {
      this.drop();
      this.#changed(0);
      reportOnce(error);
    }
  }

  #changed(added: number): void {
    this.size += added;
    this.#options.onChange(this, added);
  }

  #elapsed(): number {
    return performance.now() - this.#start;
  }

  #add<Text extends EntryText>(texts: Text[], text: Text): void {
    texts.push(text);
    const dropped = texts.length > MAX_TEXTS ? texts.shift()!.text.length : 0;
    this.#changed(text.text.length - dropped);
  }
}

let isReported = false;

/** Logs an error of the inspector once, since each request may cause it again. */
function reportOnce(error: unknown): void {
  if (isReported) return;
  isReported = true;
  const message = "the inspector cannot show a request";
  log({ level: "error", message, error });
}
