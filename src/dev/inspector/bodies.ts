import { Buffer } from "node:buffer";
import { resultWithin } from "../../core/common/deadline.ts";
import type { Bytes } from "../../core/body/read.ts";

/** The number of bytes that are kept of a body, and of every other text. */
export const MAX_TEXT = 16 * 1024;

const ENCODER = new TextEncoder();
const SCRATCH = new Uint8Array(MAX_TEXT);

/**
 * Shortens a text to {@linkcode MAX_TEXT} bytes. The result is a copy, since a slice
 * would keep the whole text in memory.
 */
export function cutText(text: string): string {
  // Each UTF-16 unit takes at most three bytes.
  if (text.length * 3 <= MAX_TEXT) return text;
  const { read, written } = ENCODER.encodeInto(text, SCRATCH);
  return read === text.length
    ? text
    : new TextDecoder().decode(SCRATCH.subarray(0, written));
}

/** The beginning of a body, and its size. */
export class BodyCopy {
  /** The number of bytes that were read or sent. */
  size = 0;
  /** Whether the end of the body was seen. */
  isComplete = false;
  #text: string | undefined;
  #bytes: Bytes | undefined;
  /** The number of bytes that are kept. */
  kept = 0;

  /** Adds a whole body. */
  setAll(data: string | Bytes): void {
    this.isComplete = true;
    if (typeof data !== "string") return this.add(data);
    this.#text = cutText(data);
    this.size = Buffer.byteLength(data);
    this.kept = this.#text === data ? this.size : MAX_TEXT;
  }

  /** Adds the next bytes. Copies them, since the program may change them. */
  add(bytes: Bytes): void {
    this.size += bytes.length;
    const kept = bytes.subarray(0, MAX_TEXT - this.kept);
    const needed = this.kept + kept.length;
    if (this.#bytes === undefined || this.#bytes.length < needed) {
      const longer = new Uint8Array(Math.min(needed * 2, MAX_TEXT));
      longer.set(this.#bytes ?? []);
      this.#bytes = longer;
    }
    this.#bytes.set(kept, this.kept);
    this.kept = needed;
  }

  /** Whether the copy lacks a part of the body. */
  get isCut(): boolean {
    return !this.isComplete || this.size > this.kept;
  }

  /** The kept text; `undefined` if the body is not UTF-8. */
  get text(): string | undefined {
    if (this.#bytes === undefined) return this.#text ?? "";
    const bytes = this.#bytes.subarray(0, this.kept);
    try {
      const decoder = new TextDecoder("utf-8", { fatal: true });
      // The limit may have cut the last character.
      return decoder.decode(bytes, { stream: this.isCut });
    } catch {
      return undefined;
    }
  }
}

/** Deno's body of a request or a response, which is not public. */
interface InnerBody {
  streamOrStatic: ReadableStream<Bytes> | { readonly body: string | Bytes };
  /** The value that the body was created from; `null` for a stream. */
  readonly source: unknown;
  /** Whether the body is locked, or was read. */
  unusable(): boolean;
}

/** Deno's inner object of a request, which is not public. */
interface InnerRequest {
  readonly body: InnerBody | null;
  readonly headerList: Header[];
  /** Takes the text of a body that has arrived; absent if no server has the request. */
  consumeTextBody?(): string | null;
}

/** The name of a header, in lowercase, and its value. */
export type Header = readonly [name: string, value: string];

/** Copies headers, since the program may change them later. */
function copied(headers: readonly Header[]): Header[] {
  return headers.map(([name, value]) => [name.toLowerCase(), value]);
}

/** Returns the value of a header. */
export function valueOf(
  headers: readonly Header[],
  name: string,
): string | undefined {
  return headers.find((header) => header[0] === name)?.[1];
}

/** The members of an object of Deno, some of which have symbols as keys. */
type Members = Readonly<Record<symbol, unknown>>;

/** Finds the key of a member, of which only the description is known. */
function keyOf(object: object, description: string): symbol | undefined {
  return Object.getOwnPropertySymbols(object)
    .find((symbol) => symbol.description === description);
}

/** Found at the first request. */
let requestKey: symbol | undefined;

/** Returns the inner object; `undefined` if this version of Deno has no such object. */
function innerOf(request: Request): InnerRequest | undefined {
  requestKey ??= keyOf(request, "request");
  const inner = (request as unknown as Members)[requestKey!];
  return typeof inner === "object" && inner !== null && "headerList" in inner
    ? inner as InnerRequest
    : undefined;
}

/** The headers of a request that has just arrived. */
export function requestHeaders(request: Request): Header[] {
  // `request.headers` takes three times as long.
  return copied(innerOf(request)?.headerList ?? [...request.headers]);
}

/** Copies the body of a request while the application reads it. */
export class RequestTap {
  readonly #request: Request;
  readonly #copy: BodyCopy;
  /** The arriving body, as soon as something looked at it. */
  #arriving: ArrivingBody | undefined;
  #isOpen = false;

  /**
   * Replaces members of Deno's inner object, which all readers of the body use:
   * `request.body`, `json()` and `clone()`. Deno still reads no byte before the
   * application does.
   */
  constructor(request: Request, copy: BodyCopy) {
    this.#request = request;
    this.#copy = copy;
    const inner = innerOf(request);
    if (inner === undefined) return;
    const { prototype } = inner.constructor as { prototype: InnerRequest };
    const { consumeTextBody } = prototype;
    if (consumeTextBody === undefined) {
      if (inner.body !== null) this.#open(inner.body);
      return;
    }
    Object.defineProperties(inner, {
      body: {
        configurable: true,
        get: () => {
          const body: InnerBody | null = Reflect.get(prototype, "body", inner);
          this.#remove(inner);
          if (body !== null) this.#open(body);
          return body;
        },
      },
      consumeTextBody: {
        configurable: true,
        value: () => {
          const text = consumeTextBody.call(inner);
          if (text === null) return text;
          this.#remove(inner);
          copy.setAll(text);
          return text;
        },
      },
    });
  }

  /**
   * Reads a small body that the application has not read, such as that of a request
   * without a session, for at most 100 ms.
   *
   * @returns A promise if the body has not arrived yet.
   */
  readUnread(headers: readonly Header[]): Promise<void> | undefined {
    const length = Number(valueOf(headers, "content-length") ?? 0);
    // The client of `Expect` sends its body only if the application reads the body.
    const isSent = length > 0 && length <= MAX_TEXT &&
      valueOf(headers, "expect") === undefined;
    // Opens the body, and copies a body that has arrived.
    if (this.#isOpen || !isSent || this.#request.bodyUsed) return;
    return this.#arriving?.readAll(100);
  }

  #remove(inner: { body?: unknown; consumeTextBody?: unknown }): void {
    this.#isOpen = true;
    delete inner.body;
    delete inner.consumeTextBody;
  }

  #open(body: InnerBody): void {
    const { streamOrStatic } = body;
    if (streamOrStatic instanceof ReadableStream) {
      this.#arriving = new ArrivingBody(body, streamOrStatic, this.#copy);
    } else this.#copy.setAll(streamOrStatic.body);
  }
}

/** The methods that read a stream. */
const STREAM_METHODS = [
  "cancel",
  "getReader",
  "pipeThrough",
  "pipeTo",
  "tee",
  "values",
  Symbol.asyncIterator,
] as const;

/** The methods that read a body in JavaScript. */
const BODY_METHODS = ["consume", "clone", "createProxy"] as const;

/**
 * A body that is arriving. JavaScript reads it from a copying stream. Deno passes the
 * original stream of `fetch(url, { body: request.body })` on without JavaScript, with
 * its `Content-Length`; such a body is not copied.
 */
class ArrivingBody {
  readonly #body: InnerBody;
  readonly #original: ReadableStream<Bytes>;
  readonly #copy: BodyCopy;
  #copying: ReadableStream<Bytes> | undefined;
  #reader: ReadableStreamDefaultReader<Bytes> | undefined;
  /** The results that were read ahead. */
  readonly #ahead: Promise<ReadableStreamReadResult<Bytes>>[] = [];

  constructor(
    body: InnerBody,
    original: ReadableStream<Bytes>,
    copy: BodyCopy,
  ) {
    this.#body = body;
    this.#original = original;
    this.#copy = copy;
    this.#replace(original, STREAM_METHODS, () => this.#used());
    this.#replace(body, BODY_METHODS, () => (this.#used(), body));
    const prototype = ReadableStream.prototype;
    Object.defineProperty(original, "locked", {
      get: () =>
        this.#copying?.locked ?? Reflect.get(prototype, "locked", original),
    });
  }

  /** Reads to the end of the body, for a limited time. */
  async readAll(milliseconds: number): Promise<void> {
    this.#used();
    await resultWithin(this.#readAll(), milliseconds);
  }

  /** Replaces methods of an object with those of the object that `use` returns. */
  #replace(
    object: object,
    names: readonly (string | symbol)[],
    use: () => object,
  ): void {
    const prototype = Object.getPrototypeOf(object);
    for (const name of names) {
      const value = (...args: unknown[]) =>
        Reflect.get(prototype, name).apply(use(), args);
      Object.defineProperty(object, name, { value });
    }
  }

  /** Returns the stream to use in place of the original. */
  #used(): ReadableStream<Bytes> {
    if (this.#copying === undefined) {
      // The application already passed the original on.
      if (this.#body.unusable()) return this.#original;
      this.#body.streamOrStatic = this.#copying = this.#copyingStream();
    }
    return this.#copying;
  }

  #copyingStream(): ReadableStream<Bytes> {
    return new ReadableStream({
      type: "bytes",
      pull: async (controller) => {
        const { value } = await (this.#ahead.shift() ?? this.#read());
        if (value !== undefined) controller.enqueue(value);
        else {
          controller.close();
          controller.byobRequest?.respond(0);
        }
      },
      cancel: (reason) => this.#open().cancel(reason),
    }, { highWaterMark: 0 });
  }

  async #readAll(): Promise<void> {
    try {
      for (let isDone = false; !isDone;) {
        const reading = this.#read();
        this.#ahead.push(reading);
        isDone = (await reading).done;
      }
    } catch {
      // The client has disconnected.
    }
  }

  async #read(): Promise<ReadableStreamReadResult<Bytes>> {
    const result = await this.#open().read();
    if (result.value !== undefined) this.#copy.add(result.value);
    else this.#copy.isComplete = true;
    return result;
  }

  #open(): ReadableStreamDefaultReader<Bytes> {
    const { getReader } = ReadableStream.prototype as {
      getReader(): ReadableStreamDefaultReader<Bytes>;
    };
    return this.#reader ??= getReader.call(this.#original);
  }
}

/** The keys of the members that hold the headers and the body of a response. */
const [INNER, FAST_BODY, FAST_KIND, FAST_TYPE, NATIVE] = ((sample) =>
  [
    "response",
    "serve fast body",
    "serve fast header kind",
    "serve fast content type",
    "serve native response",
  ].map((description) => keyOf(sample, description) ?? Symbol(description)))(
    new Response(""),
  ) as [symbol, symbol, symbol, symbol, symbol];

/** Deno's inner object of a response, which is not public. */
interface InnerResponse {
  readonly headerList: readonly Header[];
  readonly body: InnerBody | null;
}

/** Returns the headers of a response, without a change to how Deno sends it. */
export function responseHeaders(response: Response): readonly Header[] {
  const members = response as unknown as Members;
  const inner = members[INNER] as InnerResponse | undefined;
  if (inner?.headerList === undefined) return [...response.headers];
  // Deno creates the only header of a simple response when it sends the response.
  if (inner.headerList.length > 0 || members[FAST_BODY] === null) {
    return copied(inner.headerList);
  }
  const type = members[FAST_KIND] === 1
    ? "text/plain;charset=UTF-8"
    : members[FAST_TYPE];
  return typeof type === "string" ? [["content-type", type]] : [];
}

/** What happens to a body that is sent as a stream. */
export interface StreamWatcher {
  /** Called with each chunk. */
  readonly sent: (chunk: unknown) => void;
  /** Called once. The error is that of the stream; `undefined` after a regular end. */
  readonly ended: (by: "client" | "server", error?: unknown) => void;
}

/**
 * Copies the body of a response.
 *
 * @param watch Creates the watcher of a stream.
 * @returns Whether the body is a stream, which continues.
 */
export function tapResponse(
  response: Response,
  copy: BodyCopy,
  watch: () => StreamWatcher,
): boolean {
  const members = response as unknown as Members;
  const { body } = members[INNER] as Partial<InnerResponse> ?? {};
  const stream = body?.streamOrStatic;
  // If the program has looked at `body`, the data became a stream, but Deno still sends
  // the data.
  const data = members[FAST_BODY] ??
    (stream instanceof ReadableStream
      ? members[NATIVE] && body?.source
      : stream?.body);
  if (typeof data === "string" || data instanceof Uint8Array) {
    copy.setAll(data as string | Bytes);
  } else if (
    stream instanceof ReadableStream && !stream.locked && !isOriginal(stream)
  ) {
    body!.streamOrStatic = watched(stream, watch());
    return true;
  }
  return false;
}

/** Whether a stream is the body of a request, which Deno sends without JavaScript. */
function isOriginal(stream: ReadableStream): boolean {
  return Object.hasOwn(stream, "getReader");
}

/** Reads a stream for another stream, chunk by chunk. */
function watched(
  stream: ReadableStream<Bytes>,
  { sent, ended }: StreamWatcher,
): ReadableStream<Bytes> {
  const reader = stream.getReader();
  return new ReadableStream({
    async pull(controller) {
      try {
        const { value } = await reader.read();
        if (value === undefined) {
          ended("server");
          return controller.close();
        }
        sent(value);
        controller.enqueue(value);
      } catch (error) {
        ended("server", error);
        throw error;
      }
    },
    cancel(reason) {
      ended("client");
      return reader.cancel(reason);
    },
  }, { highWaterMark: 0 });
}
