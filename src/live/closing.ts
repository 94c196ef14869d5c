import type { RawData } from "./socket_types.ts";

/** The client sent a message of an unsupported kind (RFC 6455, 7.4.1). */
export const UNSUPPORTED = 1003;
/** The connection broke without a close frame; no endpoint sends this code. */
export const ABNORMAL = 1006;
/** The client violated a policy of the server. */
export const POLICY = 1008;
/** A message was too large. */
export const TOO_LARGE = 1009;
/** The server failed. */
export const INTERNAL = 1011;
/** The server is stopping. */
export const GOING_AWAY = 1001;
/** The server is restarting; the client may reconnect (registry of IANA). */
export const RESTARTING = 1012;
/** The server cannot continue now; the client may reconnect. */
export const TRY_AGAIN = 1013;

/**
 * The size limit of a reason, in bytes. A control frame has at most 125 bytes, of which
 * the code takes two (RFC 6455, 5.5.1).
 */
const MAX_REASON = 123;

const UTF8 = new TextEncoder();

/** Shortens a reason to the size of a close frame without splitting a character. */
export function closeReason(reason: string): string {
  const whole = reason.toWellFormed();
  if (!exceeds(whole, MAX_REASON)) return whole;
  // An ellipsis takes three bytes.
  const { read } = UTF8.encodeInto(whole, new Uint8Array(MAX_REASON - 3));
  return whole.slice(0, read) + "…";
}

/** Whether an endpoint may send a code (RFC 6455, 7.4; the registry of IANA). */
export function isCloseCode(code: number): boolean {
  return Number.isInteger(code) &&
    (code >= 3000 ? code < 5000 : code >= 1000 && code <= 1014 &&
      (code < 1004 || code > 1006));
}

/**
 * Whether a message has more bytes than a limit. Each UTF-16 unit takes one to three
 * bytes, so few strings have to be encoded.
 */
export function exceeds(data: RawData, limit: number): boolean {
  if (largestSize(data) <= limit) return false;
  return typeof data !== "string" || data.length > limit ||
    UTF8.encode(data).length > limit;
}

/** Returns an upper bound for the size of a message, in bytes. */
export function largestSize(data: RawData): number {
  return typeof data === "string" ? data.length * 3 : data.byteLength;
}

/**
 * The time, in milliseconds, that the client must be idle before the server sends the
 * code. Messages that a page sends at once may arrive a few milliseconds apart.
 */
const IDLE_TIME = 20;
/**
 * The time, in milliseconds, after which the server sends the code even if messages
 * still arrive.
 */
const LONGEST_WAIT = 1_000;
/** The time, in milliseconds, within which the client must respond to the code. */
const RESPONSE_TIME = 2_000;

/**
 * Closes a socket from the server's side.
 *
 * If a message arrives after `close()`, Deno cuts the connection, possibly before
 * sending the code. This class therefore waits until the client is idle.
 */
export class ClosingHandshake {
  /** The number of messages that arrived and were dropped. */
  dropped = 0;
  readonly #socket: WebSocket;
  readonly #onTimeout: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** @param onTimeout Called if the client does not respond. */
  constructor(socket: WebSocket, onTimeout: () => void) {
    this.#socket = socket;
    this.#onTimeout = onTimeout;
  }

  /** Sends the code as soon as the client is idle. */
  start(code: number, reason: string): void {
    const deadline = performance.now() + LONGEST_WAIT;
    const wait = (dropped: number): void => {
      this.#timer = setTimeout(() => {
        const isIdle = this.dropped === dropped;
        if (isIdle || performance.now() > deadline) {
          this.send(code, reason);
          this.#timer = setTimeout(this.#onTimeout, RESPONSE_TIME);
          // The timer alone must not keep the process alive.
          Deno.unrefTimer(this.#timer);
        } else wait(this.dropped);
      }, IDLE_TIME);
    };
    wait(this.dropped);
  }

  /** Stops the timer; call this when the connection has ended. */
  stop(): void {
    clearTimeout(this.#timer);
  }

  /** Sends the code at once. */
  send(code: number, reason: string): void {
    this.#socket.close(code, reason);
  }
}
