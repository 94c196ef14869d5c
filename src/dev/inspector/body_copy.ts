import { Buffer } from "node:buffer";
import type { Bytes } from "../../core/request/content.ts";

/** The most bytes of a body, and characters of another text, that an entry shows. */
export const MAX_TEXT = 16 * 1024;

const ENCODER = new TextEncoder();
const SCRATCH = new Uint8Array(MAX_TEXT);

/**
 * Shortens a text to {@linkcode MAX_TEXT} bytes. The result is a copy, since a slice
 * would keep the whole text in memory.
 */
function cutText(text: string): string {
  // Each UTF-16 unit takes at most three bytes.
  if (text.length * 3 <= MAX_TEXT) return text;
  const { read, written } = ENCODER.encodeInto(text, SCRATCH);
  return read === text.length
    ? text
    : new TextDecoder().decode(SCRATCH.subarray(0, written));
}

/** The first {@linkcode MAX_TEXT} bytes of a body, and its size. */
export class BodyCopy {
  /** The number of bytes that were read or sent. */
  size = 0;
  /** Whether the body has ended. */
  isComplete = false;
  #text: string | undefined;
  #bytes: Bytes | undefined;
  /** The number of copied bytes. */
  kept = 0;

  setAll(data: string | Bytes): void {
    this.isComplete = true;
    if (typeof data !== "string") return this.add(data);
    this.#text = cutText(data);
    this.size = Buffer.byteLength(data);
    this.kept = this.#text === data ? this.size : MAX_TEXT;
  }

  /** Copies the next bytes, which the program may change later. */
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

  /** The copied text; `undefined` if the body is not UTF-8. */
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
