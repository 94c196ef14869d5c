import type { Bytes } from "../../core/request/content.ts";
import { resultWithin } from "../../core/common/deadline.ts";
import { type BodyCopy, MAX_TEXT } from "./body_copy.ts";
import {
  type BodyWatcher,
  type Header,
  type InnerBody,
  valueOf,
  watchBody,
} from "./deno_inner.ts";

/** Copies the body of a request while the application reads it. */
export class RequestTap implements BodyWatcher {
  readonly #request: Request;
  readonly #copy: BodyCopy;
  /** Absent before the first access to the body. */
  #arriving: ArrivingBody | undefined;
  #isOpen = false;

  constructor(request: Request, copy: BodyCopy) {
    this.#request = request;
    this.#copy = copy;
    watchBody(request, this);
  }

  opened(body: InnerBody | string): void {
    this.#isOpen = true;
    const data = typeof body === "string" ? body : body.streamOrStatic;
    if (typeof data === "string") this.#copy.setAll(data);
    else if (data instanceof ReadableStream) {
      this.#arriving = new ArrivingBody(body as InnerBody, data, this.#copy);
    } else this.#copy.setAll(data.body);
  }

  /**
   * Reads a small body that the application has not read, such as after a 401. Waits at
   * most 100 ms.
   *
   * @returns A promise if the body has not arrived yet.
   */
  readUnread(headers: readonly Header[]): Promise<void> | undefined {
    const length = Number(valueOf(headers, "content-length") ?? 0);
    const isSmall = length > 0 && length <= MAX_TEXT;
    // The read of this member opens the body, and copies a body that has arrived.
    if (this.#isOpen || !isSmall || this.#request.bodyUsed) return;
    return this.#arriving?.readAll(100);
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
 * A body that is arriving. JavaScript reads it from a copying stream. For
 * `fetch(url, { body: request.body })`, Deno sends the original stream without
 * JavaScript, with its `Content-Length`, so nothing can copy such a body.
 */
class ArrivingBody {
  readonly #body: InnerBody;
  readonly #original: ReadableStream<Bytes>;
  readonly #copy: BodyCopy;
  #copying: ReadableStream<Bytes> | undefined;
  #reader: ReadableStreamDefaultReader<Bytes> | undefined;
  /** The results that `readAll()` read before the application. */
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

  /** Reads the body to its end, for a limited time. */
  async readAll(milliseconds: number): Promise<void> {
    this.#used();
    // The client may disconnect, which the application notices.
    await resultWithin(this.#readAhead().catch(() => {}), milliseconds);
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

  async #readAhead(): Promise<void> {
    for (let isDone = false; !isDone;) {
      const reading = this.#read();
      this.#ahead.push(reading);
      isDone = (await reading).done;
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
