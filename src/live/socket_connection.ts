import { resultWithin } from "../common/deadline.ts";
import { logError, logWarning } from "../common/log.ts";
import { isA, isAbort, isThenable } from "../common/values.ts";
import type { OpenConnection } from "../record/connections.ts";
import {
  ABNORMAL,
  closeReason,
  ClosingHandshake,
  exceeds,
  GOING_AWAY,
  INTERNAL,
  isCloseCode,
  largestSize,
  POLICY,
  RESTARTING,
  SERVER_FAILED,
  TOO_LARGE,
  TRY_AGAIN,
} from "./closing.ts";
import { HandlerQueue, type QueueOwner } from "./handler_queue.ts";
import { type LiveRoute, reportError } from "./live_route.ts";
import { MessageFault, SocketMessages } from "./socket_messages.ts";
import type {
  LiveSocket,
  RawData,
  RawMessage,
  SocketHandlers,
  SocketOptions,
} from "./socket_types.ts";

/** How long running handlers have when the server stops, in milliseconds. */
const GRACE = 5_000;
/** How long the closing handshake and `close` have after that, in milliseconds. */
const FAREWELL = 3_000;

/** How long the check of what was sent may hold up a close, in milliseconds. */
const CHECKING = 1_000;

const STOPPING = "The server is stopping";

/** How a socket ends. */
interface Ending {
  readonly code: number;
  readonly reason: string;
}

/** One socket: it runs the handlers one at a time, and closes in order. */
export class SocketConnection implements OpenConnection, QueueOwner {
  readonly messages: SocketMessages;
  readonly route: LiveRoute;
  readonly maxBuffered: number;
  /** Sends its messages. */
  readonly outbox: SocketOutbox;
  /** Called at its end, after all handlers but `close`. */
  onEnd: () => void = () => {};
  readonly #request: Request;
  readonly #handlers: SocketHandlers<unknown, unknown>;
  /** What the handlers get. */
  readonly #liveSocket: LiveSocket<unknown>;
  readonly #maxMessage: number;
  readonly #queue: HandlerQueue;
  readonly #handshake: ClosingHandshake;
  #isOpened = false;
  #accepts = true;
  #step: keyof SocketHandlers = "open";
  /** How the server closes it, once it does. */
  #closing: Ending | undefined;
  /** How it ended: nothing comes or goes any more. */
  #ended: Ending | undefined;
  #isFinishing = false;
  /** Resolves what waits for handlers to end. */
  #onIdle: (() => void) | undefined;
  /** Resolves when `close` has run. */
  readonly #finished = Promise.withResolvers<void>();
  #leaving: Promise<void> | undefined;
  #aborting: AbortController | undefined;

  constructor(
    socket: WebSocket,
    { request, route, handlers, options, protocol }: {
      readonly request: Request;
      readonly route: LiveRoute;
      readonly handlers: SocketHandlers<unknown, unknown>;
      readonly options: Required<SocketOptions>;
      readonly protocol: string;
    },
  ) {
    this.#request = request;
    this.messages = new SocketMessages(route);
    this.route = route;
    this.maxBuffered = options.maxBuffered;
    this.#maxMessage = options.maxMessage;
    this.#handlers = handlers;
    this.outbox = new SocketOutbox(socket, this);
    this.#queue = new HandlerQueue(this, options);
    this.#handshake = new ClosingHandshake(
      socket,
      () => this.ended(ABNORMAL, "The client did not respond to the close"),
    );
    this.#liveSocket = new ServerSocket(this, protocol);
  }

  /** Whether messages can be sent. */
  get isOpen(): boolean {
    return this.#closing === undefined && this.#ended === undefined;
  }

  /** See {@linkcode LiveSocket.signal}. */
  get signal(): AbortSignal {
    this.#aborting ??= new AbortController();
    if (!this.isOpen) this.#aborting.abort();
    return this.#aborting.signal;
  }

  /** To be called when the connection is open. */
  opened(): void {
    this.#isOpened = true;
    this.route.connections.add(this);
    // Of a server that listens no more, it is ended at once.
    if (this.#ended !== undefined) return;
    if (this.#closing !== undefined) this.#close(this.#closing);
    // It opened after the others had begun to take leave.
    else if (this.route.connections.closing) this.refuse(GOING_AWAY, STOPPING);
    else this.#queue.run(() => this.#handlers.open?.(this.#liveSocket));
  }

  /** To be called with each message. */
  received(data: string | ArrayBuffer): void {
    if (!this.#accepts) {
      this.#handshake.dropped++;
    } else if (exceeds(data, this.#maxMessage)) {
      this.refuse(
        TOO_LARGE,
        `A message may have ${this.#maxMessage} bytes at most`,
      );
    } else if (
      !this.#queue.push(typeof data === "string" ? data : new Uint8Array(data))
    ) {
      this.refuse(POLICY, "Too many messages wait");
    }
  }

  /** To be called when the client has closed; messages that wait are still handled. */
  closedByClient(code: number, reason: string): void {
    if (this.#ended !== undefined) return;
    this.#ended = this.#closing ?? { code, reason };
    this.outbox.clear();
    this.#handshake.stop();
    this.#aborting?.abort();
    if (!this.#queue.isBusy) this.#finish();
  }

  /** To be called when the connection has ended otherwise; messages that wait are dropped. */
  ended(code: number, reason: string): void {
    this.#queue.clear();
    this.closedByClient(code || ABNORMAL, reason);
  }

  /** Closes the socket from the server's side; messages that wait are dropped. */
  refuse(code: number, reason: string): void {
    // Also of a client that has closed already: its messages are handled no more.
    this.#queue.clear();
    if (!this.isOpen) return;
    this.#closing = { code, reason: closeReason(reason) };
    this.#accepts = false;
    this.#aborting?.abort();
    if (this.#isOpened) this.#close(this.#closing);
  }

  /** Handles one message, for the queue. */
  handle(message: RawMessage): unknown {
    this.#step = "message";
    const value = this.messages.read(message);
    return isThenable(value)
      ? value.then((value) => this.#handlers.message?.(value, this.#liveSocket))
      : this.#handlers.message?.(value, this.#liveSocket);
  }

  onError(error: unknown): void {
    if (isA(error, MessageFault)) return this.refuse(error.code, error.message);
    this.#log(error);
    this.refuse(INTERNAL, SERVER_FAILED);
  }

  onIdle(): void {
    this.#onIdle?.();
    if (this.#ended !== undefined) this.#finish();
  }

  /**
   * Takes no more messages, lets the handlers of those that came finish, and closes
   * the socket with 1001. It takes 8 seconds at most. Where the server restarts, it
   * closes the socket at once with 1012.
   */
  leave(restarts: boolean): Promise<void> {
    // Two servers of the application may stop together.
    return this.#leaving ??= this.#leave(restarts);
  }

  async #leave(restarts: boolean): Promise<void> {
    this.#accepts = false;
    if (restarts) this.refuse(RESTARTING, "The server restarts");
    else if (this.#queue.isBusy) {
      const idle = new Promise<void>((resolve) => this.#onIdle = resolve);
      await resultWithin(idle, GRACE);
    }
    this.refuse(GOING_AWAY, STOPPING);
    await resultWithin(this.#finished.promise, FAREWELL);
  }

  end(): void {
    if (this.#ended !== undefined) return;
    // What waits for its code to be sent gets that one.
    const { code = GOING_AWAY, reason = STOPPING } = this.#closing ?? {};
    this.ended(code, reason);
    this.#handshake.send(code, reason);
  }

  async #close({ code, reason }: Ending): Promise<void> {
    const { checked } = this.outbox;
    // A schema may never say whether a message fits.
    if (checked !== undefined) await resultWithin(checked, CHECKING);
    if (this.#ended === undefined) this.#handshake.start(code, reason);
  }

  async #finish(): Promise<void> {
    if (this.#isFinishing) return;
    this.#isFinishing = true;
    this.#step = "close";
    this.onEnd();
    const { code, reason } = this.#ended!;
    try {
      await this.#handlers.close?.(code, reason, this.#liveSocket);
    } catch (error) {
      this.#log(error);
    }
    this.route.connections.remove(this);
    this.#finished.resolve();
  }

  #log(error: unknown): void {
    // A handler that passes its signal on, say to `fetch`, ends with the socket.
    if (this.#aborting?.signal.aborted && isAbort(error)) return;
    const what = `"${this.#step}" of its socket`;
    void reportError(error, this.#request, { route: this.route, what });
  }
}

/** What handlers get of a connection. */
class ServerSocket implements LiveSocket<unknown> {
  readonly protocol: string;
  readonly #connection: SocketConnection;

  constructor(connection: SocketConnection, protocol: string) {
    this.#connection = connection;
    this.protocol = protocol;
  }

  get bufferedAmount(): number {
    return this.#connection.outbox.bufferedAmount;
  }

  get signal(): AbortSignal {
    return this.#connection.signal;
  }

  send(value: unknown): boolean {
    return this.#connection.isOpen && this.#connection.outbox.send(value);
  }

  close(code = 1000, reason = ""): void {
    if (!isCloseCode(code)) {
      throw new RangeError(
        `Cannot close the socket with code "${code}": use 1000, or one from 3000 to 4999`,
      );
    }
    this.#connection.refuse(code, String(reason));
  }
}

/** `WebSocket.OPEN`. A constant spares each message the lookup of the global. */
const OPEN = 1;

/** Sends the messages of one socket, within its limit. */
class SocketOutbox {
  readonly #socket: WebSocket;
  readonly #owner: SocketConnection;
  /** Resolves when the messages whose check takes longer are sent. */
  #checking: Promise<void> | undefined;
  #checkingSize = 0;
  /**
   * An upper bound of the bytes that are buffered. Deno is asked for their number only
   * where the bound exceeds the limit, since that takes longer than all else here.
   */
  #mostBuffered = 0;
  /** The messages whose check takes longer, and those after them. */
  readonly #waiting: string[] = [];

  constructor(socket: WebSocket, owner: SocketConnection) {
    this.#socket = socket;
    this.#owner = owner;
  }

  /** See {@linkcode LiveSocket.bufferedAmount}. */
  get bufferedAmount(): number {
    return this.#checkingSize + this.#socket.bufferedAmount;
  }

  /** Resolves when all checks are over; `undefined` if there is none. */
  get checked(): Promise<void> | undefined {
    return this.#checking;
  }

  /**
   * Sends a message.
   *
   * @returns Whether it was taken.
   * @throws {TypeError} If there is no such message.
   */
  send(value: unknown): boolean {
    if (!this.#isOpen) return false;
    const { messages, maxBuffered } = this.#owner;
    const data = messages.write(value);
    this.#mostBuffered += largestSize(data);
    if (this.#mostBuffered > maxBuffered && this.#exceedsLimit(data)) {
      this.#owner.refuse(TRY_AGAIN, "The client reads too slowly");
      return false;
    }
    const fits = !messages.isChecked ||
      this.#checking === undefined && this.#fits(data as string);
    if (fits) this.#socket.send(data);
    else {
      const text = data as string;
      this.#checkingSize += text.length;
      this.#waiting.push(text);
      // It is sent after those before it, if it fits.
      this.#checking ??= this.#sendWaiting();
    }
    return true;
  }

  /** Drops the messages that are not checked yet. */
  clear(): void {
    this.#waiting.length = 0;
    this.#checkingSize = 0;
  }

  #exceedsLimit(data: RawData): boolean {
    const { bufferedAmount } = this;
    this.#mostBuffered = bufferedAmount + largestSize(data);
    return exceeds(data, this.#owner.maxBuffered - bufferedAmount);
  }

  #fits(text: string): boolean {
    try {
      return this.#owner.messages.fitsAtOnce(text);
    } catch {
      // The longer way meets the same error, and reports it.
      return false;
    }
  }

  async #sendWaiting(): Promise<void> {
    while (this.#waiting.length > 0) {
      const fits = await this.#check(this.#waiting[0]!);
      const text = this.#waiting.shift();
      if (text === undefined) break;
      this.#checkingSize -= text.length;
      if (fits && this.#isOpen) this.#socket.send(text);
    }
    this.#checking = undefined;
  }

  get #isOpen(): boolean {
    return this.#socket.readyState === OPEN;
  }

  async #check(text: string): Promise<boolean> {
    const { messages, route: { validateResponses, place } } = this.#owner;
    try {
      const fault = await messages.faultOf(text);
      if (fault === "") return true;
      logWarning(
        `${place}: a message that its socket sends does not fit its schema: ${fault}`,
      );
      if (validateResponses === "warn") return true;
    } catch (error) {
      logError(`${place}: the schema of what its socket sends failed:`, error);
    }
    this.clear();
    this.#owner.refuse(INTERNAL, SERVER_FAILED);
    return false;
  }
}
