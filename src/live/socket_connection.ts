import { type LiveRoute, reportError } from "./live_route.ts";
import type { OpenConnection } from "../request/connections.ts";
import {
  ABNORMAL,
  closeReason,
  ClosingHandshake,
  exceeds,
  GOING_AWAY,
  INTERNAL,
  POLICY,
  RESTARTING,
  SERVER_FAILED,
  TOO_LARGE,
} from "./closing.ts";
import { isA, isAbort, isThenable } from "../common/values.ts";
import { resultWithin } from "../common/deadline.ts";
import { HandlerQueue, type QueueOwner } from "./handler_queue.ts";
import { MessageFault, type SocketMessages } from "./socket_messages.ts";
import type { ResolvedSocketOptions } from "./socket_options.ts";
import { type OutboxOwner, SocketOutbox } from "./socket_outbox.ts";
import type { LiveSocket, RawMessage, SocketHandlers } from "./socket_types.ts";

/** How long running handlers have when the server stops, in milliseconds. */
const GRACE = 5_000;
/** How long the closing handshake and `close` have after that, in milliseconds. */
const FAREWELL = 3_000;

/** How long the check of what was sent may hold up a close, in milliseconds. */
const CHECKING = 1_000;

const STOPPING = "The server is stopping";

/** How a socket ends. */
export interface Ending {
  readonly code: number;
  readonly reason: string;
}

/** What a connection is made of. */
export interface ConnectionParts {
  readonly request: Request;
  readonly handlers: SocketHandlers<unknown, unknown>;
  readonly messages: SocketMessages;
  readonly options: ResolvedSocketOptions;
  readonly route: LiveRoute;
}

/** One socket: it runs the handlers one at a time, and closes in order. */
export class SocketConnection
  implements OpenConnection, QueueOwner, OutboxOwner {
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
  #isFinished = false;
  /** Resolves what waits for handlers to end. */
  #onIdle: (() => void) | undefined;
  /** Resolves what waits for `close` to have run. */
  #onFinished: (() => void) | undefined;
  #leaving: Promise<void> | undefined;
  #aborting: AbortController | undefined;

  constructor(
    socket: WebSocket,
    { request, handlers, messages, options, route }: ConnectionParts,
    createLiveSocket: (connection: SocketConnection) => LiveSocket<unknown>,
  ) {
    this.#request = request;
    this.messages = messages;
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
    this.#liveSocket = createLiveSocket(this);
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
    if (isA(error, MessageFault)) {
      this.refuse(error.code, error.message);
      return;
    }
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
    if (this.#isFinished) return;
    const finished = new Promise<void>((resolve) => this.#onFinished = resolve);
    await resultWithin(finished, FAREWELL);
  }

  end(): void {
    if (this.#ended !== undefined) return;
    // What waits for its code to be sent gets that one.
    const { code, reason } = this.#closing ??
      { code: GOING_AWAY, reason: STOPPING };
    this.ended(code, reason);
    this.#handshake.send(code, reason);
  }

  async #close({ code, reason }: Ending): Promise<void> {
    const { checked } = this.outbox;
    if (checked !== undefined) {
      // A schema may never say whether a message fits.
      await resultWithin(checked, CHECKING);
    }
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
    this.#isFinished = true;
    this.route.connections.remove(this);
    this.#onFinished?.();
  }

  #log(error: unknown): void {
    // A handler that passes its signal on, say to `fetch`, ends with the socket.
    if (this.#aborting?.signal.aborted && isAbort(error)) return;
    const what = `"${this.#step}" of its socket`;
    void reportError(error, this.#request, { route: this.route, what });
  }
}
