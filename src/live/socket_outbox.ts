import { logError, logWarning } from "../common/log.ts";
import type { LiveRoute } from "./live_route.ts";
import {
  exceeds,
  INTERNAL,
  largestSize,
  SERVER_FAILED,
  TRY_AGAIN,
} from "./closing.ts";
import type { SocketMessages } from "./socket_messages.ts";
import type { RawData } from "./socket_types.ts";

/** What an outbox needs of its connection. */
export interface OutboxOwner {
  readonly messages: SocketMessages;
  readonly route: LiveRoute;
  readonly maxBuffered: number;
  /** Closes the socket. */
  readonly refuse: (code: number, reason: string) => void;
}

/** `WebSocket.OPEN`. A constant spares each message the lookup of the global. */
const OPEN = 1;

/** Sends the messages of one socket, within its limit. */
export class SocketOutbox {
  readonly #socket: WebSocket;
  readonly #owner: OutboxOwner;
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

  constructor(socket: WebSocket, owner: OutboxOwner) {
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
    if (!messages.isChecked) this.#socket.send(data);
    else if (this.#checking === undefined && this.#fits(data as string)) {
      this.#socket.send(data);
    } else this.#sendChecked(data as string);
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

  /** Sends a text after those before it, if it fits. */
  #sendChecked(text: string): void {
    this.#checkingSize += text.length;
    this.#waiting.push(text);
    this.#checking ??= this.#sendWaiting();
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
      const message =
        `${place}: a message that its socket sends does not fit its schema: ${fault}`;
      logWarning(message);
      if (validateResponses === "warn") return true;
    } catch (error) {
      logError(`${place}: the schema of what its socket sends failed:`, error);
    }
    this.clear();
    this.#owner.refuse(INTERNAL, SERVER_FAILED);
    return false;
  }
}
