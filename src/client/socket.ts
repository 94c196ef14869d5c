import type { ClientSocket, SocketClosing } from "./socket_types.ts";

/** How a socket is opened. */
export interface SocketCall {
  readonly url: string;
  readonly path: string;
  readonly protocols?: readonly string[] | undefined;
  readonly sends?: "json" | "raw" | undefined;
  readonly receives?: "json" | "raw" | undefined;
  readonly maxQueued?: number | undefined;
  readonly WebSocket: SocketClass;
}

/** The class of a socket: the global `WebSocket`, or one that works alike. */
export type SocketClass = new (url: string, protocols: string[]) => WebSocket;

/** A message came that is not JSON. */
const UNREADABLE = 4007;

/** Too many messages wait to be read. */
const TOO_SLOW = 4008;

/** What goes over a socket. */
type Data = string | ArrayBuffer;

type Taken = IteratorResult<unknown, undefined>;

/** The client's end of a socket, by a `WebSocket`. */
export class SocketReader implements ClientSocket<unknown, unknown> {
  readonly opened: Promise<string>;
  readonly closed: Promise<SocketClosing>;
  readonly #call: SocketCall;
  readonly #socket: WebSocket;
  /** What is sent when the socket opens. */
  readonly #early: Data[] = [];
  /** The messages that nobody has read. */
  readonly #messages: unknown[] = [];
  /** Those who wait for a message. */
  readonly #readers: PromiseWithResolvers<Taken>[] = [];
  /** What the loop throws when it has read all messages. */
  #error: Error | undefined;
  #isOver = false;

  constructor(call: SocketCall) {
    this.#call = call;
    const { WebSocket, url, protocols = [] } = call;
    const socket = this.#socket = new WebSocket(url, [...protocols]);
    socket.binaryType = "arraybuffer";
    const opened = Promise.withResolvers<string>();
    this.opened = opened.promise;
    // Whoever does not wait for it learns it from the loop.
    this.opened.catch(() => {});
    let isOpen = false;
    let fault = "";
    socket.onopen = () => {
      isOpen = true;
      for (const data of this.#early.splice(0)) socket.send(data);
      opened.resolve(socket.protocol);
    };
    socket.onmessage = ({ data }) => this.#take(data);
    socket.onerror = (event) => {
      // Browsers say nothing.
      fault = (event as ErrorEvent).message ?? "";
    };
    this.closed = new Promise((resolve) => {
      socket.onclose = ({ code, reason }) => {
        const error = isOpen ? undefined : this.#errorOf("open", fault);
        // It has no effect on one that is open.
        opened.reject(error);
        this.#end(error);
        // Deno has 0 where no connection came about.
        resolve({ code: code || 1006, reason });
      };
    });
  }

  get bufferedAmount(): number {
    return this.#socket.bufferedAmount;
  }

  send(value: unknown): boolean {
    const { sends, path } = this.#call;
    const data = sends === "raw" ? value : JSON.stringify(value);
    if (data === undefined) {
      throw new TypeError(
        `Cannot send ${typeof value} over the socket "${path}": it has no JSON`,
      );
    }
    const { readyState } = this.#socket;
    if (readyState > 1) return false;
    if (readyState === 0) this.#early.push(data as Data);
    else this.#socket.send(data as Data);
    return true;
  }

  close(code = 1000, reason = ""): void {
    this.#socket.close(code, reason);
  }

  async next(): Promise<Taken> {
    if (this.#messages.length > 0) {
      return { done: false, value: this.#messages.shift() };
    }
    const reader = Promise.withResolvers<Taken>();
    this.#readers.push(reader);
    if (this.#isOver) this.#tellReaders();
    return await reader.promise;
  }

  // deno-lint-ignore require-await -- It returns what every iterator does.
  async return(): Promise<Taken> {
    this.#messages.length = 0;
    this.close();
    this.#end();
    return OVER;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #take(data: Data): void {
    if (this.#isOver) return;
    let value: unknown = data;
    if (this.#call.receives !== "raw") {
      try {
        value = JSON.parse(data as string);
      } catch {
        return this.#refuse(UNREADABLE, "A message is no valid JSON");
      }
    } else if (typeof data !== "string") value = new Uint8Array(data);
    const reader = this.#readers.shift();
    if (reader !== undefined) return reader.resolve({ done: false, value });
    const { maxQueued = 1_000 } = this.#call;
    if (this.#messages.length < maxQueued) this.#messages.push(value);
    else this.#refuse(TOO_SLOW, `More than ${maxQueued} messages wait`);
  }

  #refuse(code: number, reason: string): void {
    this.close(code, reason);
    this.#end(this.#errorOf("go on with", reason));
  }

  #errorOf(deed: string, reason: string): Error {
    return new Error(
      `Cannot ${deed} the socket "${this.#call.path}"` +
        (reason && `: ${reason}`),
    );
  }

  #end(error?: Error): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#error = error;
    this.#tellReaders();
  }

  /** Tells those who wait that nothing more comes: the first, what went wrong. */
  #tellReaders(): void {
    for (const reader of this.#readers.splice(0)) {
      if (this.#error === undefined) reader.resolve(OVER);
      else reader.reject(this.#error);
      this.#error = undefined;
    }
  }
}

const OVER = { done: true, value: undefined } as const;
