import { resultWithin } from "../core/common/deadline.ts";
import { log } from "../core/common/log.ts";
import { isAbort, isThenable } from "../core/common/values.ts";
import type { OpenConnection } from "../core/request/connections.ts";
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
  TOO_LARGE,
  TRY_AGAIN,
} from "./closing.ts";
import { HandlerQueue, type QueueOwner } from "./handler_queue.ts";
import { type LiveRoute, reportError } from "./live_route.ts";
import {
  type Message,
  MessageFault,
  SocketMessages,
} from "./socket_messages.ts";
import type {
  LiveSocket,
  RawData,
  RawMessage,
  SocketHandlers,
  SocketOptions,
} from "./socket_types.ts";
import type { WatchedSocket } from "./watched_socket.ts";

/**
 * The time, in milliseconds, that running handlers have to finish when the server
 * stops.
 */
const HANDLER_TIMEOUT = 5_000;
/**
 * The time, in milliseconds, that the closing handshake and the handler `close` have
 * after the running handlers.
 */
const CLOSE_TIMEOUT = 3_000;

/**
 * The longest time, in milliseconds, that the checks of sent messages may delay a
 * close.
 */
const CHECK_TIMEOUT = 1_000;

const STOPPING = "The server is stopping";

/** The code and the reason with which a socket ends. */
type Ending = Pick<CloseEvent, "code" | "reason">;

interface SocketParts {
  readonly request: Request;
  readonly route: LiveRoute;
  readonly handlers: SocketHandlers<unknown, unknown>;
  readonly options: Required<SocketOptions>;
  readonly protocol: string;
}

/**
 * The connection of one socket. Runs the handlers one at a time, and closes the socket
 * gracefully.
 */
export class SocketConnection
  implements OpenConnection, QueueOwner, WatchedSocket {
  readonly parts: SocketParts;
  readonly messages: SocketMessages;
  readonly outbox: SocketOutbox;
  /** Called when the socket has ended, before the handler `close`. */
  onEnd: () => void = () => {};
  handled = 0;
  readonly #liveSocket: LiveSocket<unknown>;
  readonly #queue: HandlerQueue;
  readonly #handshake: ClosingHandshake;
  #isOpened = false;
  #accepts = true;
  #step: keyof SocketHandlers = "open";
  /** The code and the reason of the close that the server has begun. */
  closing: Ending | undefined;
  #ended: Ending | undefined;
  #isFinishing = false;
  /** Resolves the promise that a graceful close awaits while a handler runs. */
  #onIdle: (() => void) | undefined;
  /** Resolves when the handler `close` has run. */
  readonly #finished = Promise.withResolvers<void>();
  #gracefulClose: Promise<void> | undefined;
  #aborting: AbortController | undefined;

  constructor(socket: WebSocket, parts: SocketParts) {
    this.parts = parts;
    this.messages = new SocketMessages(parts.route);
    this.outbox = new SocketOutbox(socket, this);
    this.#queue = new HandlerQueue(this, parts.options);
    this.#handshake = new ClosingHandshake(
      socket,
      () => this.ended(ABNORMAL, "The client did not respond to the close"),
    );
    this.#liveSocket = new ServerSocket(this);
  }

  /** Whether messages can be sent. */
  get isOpen(): boolean {
    return this.closing === undefined && this.#ended === undefined;
  }

  get isBusy(): boolean {
    return this.#queue.isBusy || this.outbox.checking !== undefined;
  }

  get signal(): AbortSignal {
    this.#aborting ??= new AbortController();
    if (!this.isOpen) this.#aborting.abort();
    return this.#aborting.signal;
  }

  opened(): void {
    this.#isOpened = true;
    const { handlers, route: { connections } } = this.parts;
    connections.add(this);
    // A server that has stopped listening has already ended this connection.
    if (this.#ended !== undefined) return;
    if (this.closing !== undefined) this.#close(this.closing);
    // The socket opened after the server began to close its other connections.
    else if (connections.closing) this.refuse(GOING_AWAY, STOPPING);
    else this.#queue.run(() => handlers.open?.(this.#liveSocket));
  }

  received(data: string | ArrayBuffer): void {
    this.observe("client", data);
    const { maxMessage } = this.parts.options;
    if (!this.#accepts) {
      this.#handshake.dropped++;
    } else if (exceeds(data, maxMessage)) {
      this.refuse(TOO_LARGE, `A message may have ${maxMessage} bytes at most`);
    } else if (
      !this.#queue.push(typeof data === "string" ? data : new Uint8Array(data))
    ) {
      this.refuse(POLICY, "Too many messages wait");
    }
  }

  /**
   * Call this when the client has closed the socket; queued messages are still handled.
   */
  closedByClient(code: number, reason: string): void {
    if (this.#ended !== undefined) return;
    this.#ended = this.closing ?? { code, reason };
    this.outbox.clear();
    this.#handshake.stop();
    this.#aborting?.abort();
    if (!this.#queue.isBusy) this.#finish();
  }

  /** Call this when the connection has broken; queued messages are dropped. */
  ended(code: number, reason: string): void {
    this.#queue.clear();
    this.closedByClient(code || ABNORMAL, reason);
  }

  /** Closes the socket from the server's side; queued messages are dropped. */
  refuse(code: number, reason: string): void {
    // Drop the queued messages even if the client has closed the socket.
    this.#queue.clear();
    if (!this.isOpen) return;
    this.closing = { code, reason: closeReason(reason) };
    this.#accepts = false;
    this.#aborting?.abort();
    if (this.#isOpened) this.#close(this.closing);
  }

  handle(message: RawMessage): unknown {
    this.#step = "message";
    this.handled++;
    const { handlers } = this.parts;
    const value = this.messages.read(message);
    return isThenable(value)
      ? value.then((value) => handlers.message?.(value, this.#liveSocket))
      : handlers.message?.(value, this.#liveSocket);
  }

  /** Shows a message to the observer of the application, if there is one. */
  observe(from: "client" | "server", data: RawData): void {
    const { request, route } = this.parts;
    route.application.observer.socketMessage?.(request, from, data);
  }

  onError(error: unknown): void {
    if (error instanceof MessageFault) {
      return this.refuse(error.code, error.message);
    }
    this.#log(error);
    this.fail();
  }

  /** Closes the socket because the server failed; only the log contains details. */
  fail(): void {
    this.refuse(INTERNAL, "The server failed");
  }

  onIdle(): void {
    this.#onIdle?.();
    if (this.#ended !== undefined) this.#finish();
  }

  /**
   * Stops accepting messages, lets the handlers of earlier messages finish, and closes
   * the socket with 1001, within 8 seconds. If the server restarts, closes the socket
   * at once with 1012.
   */
  closeGracefully(restarts: boolean): Promise<void> {
    // Two servers of the application may stop at the same time, and both then call this
    // method.
    return this.#gracefulClose ??= this.#runGracefulClose(restarts);
  }

  async #runGracefulClose(restarts: boolean): Promise<void> {
    this.#accepts = false;
    if (restarts) this.refuse(RESTARTING, "The server restarts");
    else if (this.#queue.isBusy) {
      const idle = new Promise<void>((resolve) => this.#onIdle = resolve);
      await resultWithin(idle, HANDLER_TIMEOUT);
    }
    this.refuse(GOING_AWAY, STOPPING);
    await resultWithin(this.#finished.promise, CLOSE_TIMEOUT);
  }

  end(): void {
    if (this.#ended !== undefined) return;
    // A close that has begun keeps its code.
    const { code, reason } = this.closing ??= {
      code: GOING_AWAY,
      reason: STOPPING,
    };
    this.ended(code, reason);
    this.#handshake.send(code, reason);
  }

  async #close({ code, reason }: Ending): Promise<void> {
    const { checking } = this.outbox;
    // Limit the wait, since the check of a schema may never end.
    if (checking !== undefined) await resultWithin(checking, CHECK_TIMEOUT);
    if (this.#ended === undefined) this.#handshake.start(code, reason);
  }

  async #finish(): Promise<void> {
    if (this.#isFinishing) return;
    this.#isFinishing = true;
    this.#step = "close";
    this.onEnd();
    const { code, reason } = this.#ended!;
    const { request, route, handlers } = this.parts;
    const by = this.closing === undefined ? "client" : "server";
    route.application.observer.socketEnded?.(request, { by, code, reason });
    try {
      await handlers.close?.(code, reason, this.#liveSocket);
    } catch (error) {
      this.#log(error);
    }
    route.connections.remove(this);
    this.#finished.resolve();
  }

  #log(error: unknown): void {
    // The aborted signal may have caused the error, for example if a handler passes the
    // signal to `fetch`.
    if (this.#aborting?.signal.aborted && isAbort(error)) return;
    const { request, route } = this.parts;
    const what = `"${this.#step}" of the socket`;
    void reportError(error, request, { route, what });
  }
}

/** The socket that handlers receive. */
class ServerSocket implements LiveSocket<unknown> {
  readonly protocol: string;
  readonly #connection: SocketConnection;

  constructor(connection: SocketConnection) {
    this.#connection = connection;
    this.protocol = connection.parts.protocol;
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
        `Cannot close the socket with code "${code}": use 1000, or a code from 3000 to 4999`,
      );
    }
    this.#connection.refuse(code, String(reason));
  }
}

/**
 * The value of `WebSocket.OPEN`. This constant saves a lookup of the global for each
 * message.
 */
const OPEN = 1;

/** Sends the messages of one socket, within the limit `maxBuffered`. */
class SocketOutbox {
  readonly #socket: WebSocket;
  readonly #owner: SocketConnection;
  /** Resolves when all checks have ended; `undefined` if no check is running. */
  checking: Promise<void> | undefined;
  #checkingSize = 0;
  /**
   * An upper bound for the number of buffered bytes. `send` reads the exact number from
   * Deno only if the bound exceeds the limit, since reading this number is the slowest
   * step.
   */
  #mostBuffered = 0;
  /** The messages that await their checks, one after the other. */
  readonly #waiting: Message[] = [];

  constructor(socket: WebSocket, owner: SocketConnection) {
    this.#socket = socket;
    this.#owner = owner;
  }

  get bufferedAmount(): number {
    return this.#checkingSize + this.#socket.bufferedAmount;
  }

  /**
   * Sends a message.
   *
   * @returns Whether the message was accepted.
   * @throws {TypeError} If the value cannot be a message.
   */
  send(value: unknown): boolean {
    if (!this.#isOpen) return false;
    const { messages, parts } = this.#owner;
    const message = messages.write(value);
    const { data } = message;
    this.#mostBuffered += largestSize(data);
    const { maxBuffered } = parts.options;
    if (this.#mostBuffered > maxBuffered && this.#exceedsLimit(data)) {
      this.#owner.refuse(TRY_AGAIN, "The client reads too slowly");
      return false;
    }
    if (messages.isChecked) {
      this.#checkingSize += message.json.length;
      this.#waiting.push(message);
      this.checking ??= this.#sendWaiting();
    } else this.#sendNow(data);
    return true;
  }

  /** Drops the messages that await their check. */
  clear(): void {
    this.#waiting.length = 0;
    this.#checkingSize = 0;
  }

  #sendNow(data: RawData): void {
    this.#socket.send(data);
    this.#owner.observe("server", data);
  }

  #exceedsLimit(data: RawData): boolean {
    const { bufferedAmount } = this;
    this.#mostBuffered = bufferedAmount + largestSize(data);
    const { maxBuffered } = this.#owner.parts.options;
    return exceeds(data, maxBuffered - bufferedAmount);
  }

  async #sendWaiting(): Promise<void> {
    while (this.#waiting.length > 0) {
      const fits = await this.#check(this.#waiting[0]!);
      const message = this.#waiting.shift();
      if (message === undefined) break;
      this.#checkingSize -= message.json.length;
      if (fits && this.#isOpen) this.#sendNow(message.data);
    }
    this.checking = undefined;
  }

  get #isOpen(): boolean {
    return this.#socket.readyState === OPEN;
  }

  async #check({ json }: Message): Promise<boolean> {
    const { messages, parts: { route: { application, place } } } = this.#owner;
    try {
      const fault = await messages.faultOf(json);
      if (fault === "") return true;
      const message =
        `a message to the client does not fit its schema: ${fault}`;
      log({ level: "warning", place, message });
      if (application.validateResponses === "warn") return true;
    } catch (error) {
      const message = "the schema of messages to the client failed";
      log({ level: "error", place, message, error });
    }
    this.clear();
    this.#owner.fail();
    return false;
  }
}
