import type { RawData } from "./socket_types.ts";

/** The client sent a message of a kind that is not taken here (RFC 6455, 7.4.1). */
export const UNSUPPORTED = 1003;
/** The connection broke without a close frame. It is never sent. */
export const ABNORMAL = 1006;
/** The client did what the server does not allow. */
export const POLICY = 1008;
/** A message was too large. */
export const TOO_LARGE = 1009;
/** The server failed. */
export const INTERNAL = 1011;
/** The reason for that, which tells nothing; the log has it. */
export const SERVER_FAILED = "The server failed";
/** The server is stopping. */
export const GOING_AWAY = 1001;
/** The server restarts; the client may come again (registry of IANA). */
export const RESTARTING = 1012;
/** The server cannot go on now; the client may come again. */
export const TRY_AGAIN = 1013;

/** A control frame holds 125 bytes; two of them are the code (RFC 6455, 5.5.1). */
const MAX_REASON = 123;

const UTF8 = new TextEncoder();

/** Cuts a reason to what a close frame can hold, between two characters. */
export function closeReason(text: string): string {
  const whole = text.toWellFormed();
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
 * Whether a message takes more than some bytes. Most texts need not be encoded for
 * that: one takes from one byte to three for each of its UTF-16 units.
 */
export function exceeds(data: RawData, limit: number): boolean {
  if (largestSize(data) <= limit) return false;
  return typeof data !== "string" || data.length > limit ||
    UTF8.encode(data).length > limit;
}

/** The most bytes that a message may take. */
export function largestSize(data: RawData): number {
  return typeof data === "string" ? data.length * 3 : data.byteLength;
}

/**
 * How long no message must come before the code is sent, in milliseconds: a browser
 * may take a few from one message to the next that it was given at once.
 */
const QUIET = 20;
/** How long the client may go on sending before it is sent the code, in milliseconds. */
const LONGEST_WAIT = 1_000;
/** How long the client has to respond to the code, in milliseconds. */
const RESPONSE_TIME = 2_000;

/**
 * Closes a socket from the server's side.
 *
 * If a message has arrived already, Deno cuts the connection before it sends the code:
 * it does so at the next message after `close()`. So this waits until no message comes
 * for a while.
 */
export class ClosingHandshake {
  /** How many messages came, and were dropped. */
  dropped = 0;
  readonly #socket: WebSocket;
  readonly #onTimeout: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** @param onTimeout Called if the client does not respond. */
  constructor(socket: WebSocket, onTimeout: () => void) {
    this.#socket = socket;
    this.#onTimeout = onTimeout;
  }

  /** Sends the code as soon as the client is quiet. */
  start(code: number, reason: string): void {
    const deadline = performance.now() + LONGEST_WAIT;
    const wait = (dropped: number): void => {
      this.#timer = setTimeout(() => {
        const isQuiet = this.dropped === dropped;
        if (isQuiet || performance.now() > deadline) {
          this.send(code, reason);
          this.#timer = setTimeout(this.#onTimeout, RESPONSE_TIME);
          // The timer alone must not keep the process alive.
          Deno.unrefTimer(this.#timer);
        } else wait(this.dropped);
      }, QUIET);
    };
    wait(this.dropped);
  }

  /** Stops waiting, since the connection has ended. */
  stop(): void {
    clearTimeout(this.#timer);
  }

  /** Sends the code at once, and waits for nothing. */
  send(code: number, reason: string): void {
    this.#socket.close(code, reason);
  }
}
