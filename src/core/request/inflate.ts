import { pipeline } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { createGunzip, createInflate } from "node:zlib";
import { HttpError } from "../errors.ts";
import { tooLarge } from "../own_errors.ts";
import type { Bytes } from "./content.ts";

/** The encodings of bodies that Bough decompresses (RFC 9110, 8.4.1). */
export type Coding = "gzip" | "deflate";

/** The size of a decompressed piece, in bytes. */
const PIECE = 64 * 1024;

/**
 * Decompresses bytes while they arrive, in pieces that the caller may keep. An empty
 * body has no pieces.
 *
 * @param read Reads the next bytes; `undefined` at their end.
 * @param options The encoding, and the limit of the decompressed bytes.
 * @returns The pieces, and `true` after the last one; a caller that leaves gets no `true`.
 * @throws {HttpError} 413 above the limit, and the errors of `read`.
 * @throws {SyntaxError} If the data is malformed or cut off, or if other bytes follow.
 */
export async function* inflate(
  read: () => Promise<Bytes | undefined>,
  { coding, limit }: { readonly coding: Coding; readonly limit: number },
): AsyncGenerator<Bytes, true | void> {
  const first = await read();
  if (first === undefined) return true;
  let sent = 0;
  async function* sentBytes(): AsyncGenerator<Bytes, void> {
    for (let chunk = first; chunk !== undefined; chunk = await read()) {
      sent += chunk.length;
      yield chunk;
    }
  }
  const create = coding === "gzip" ? createGunzip : createInflate;
  const engine = create({ chunkSize: PIECE });
  let size = 0;
  try {
    for await (const piece of pipeline(sentBytes(), engine, () => {})) {
      size += piece.length;
      if (size > limit) throw tooLarge("The body", limit);
      // The engine uses the buffer of a piece again.
      yield new Uint8Array(piece);
      // Other requests run now; Node's streams never return to the event loop.
      await setImmediate();
    }
    // The engine ignores these bytes.
    if (sent > engine.bytesWritten) throw new Error("Other bytes follow");
    return true;
  } catch (cause) {
    if (cause instanceof HttpError) throw cause;
    throw new SyntaxError(`The body is not valid ${coding}`, { cause });
  }
}

/** Decompresses a whole body; see {@linkcode inflate}. */
export async function inflateBytes(
  bytes: Bytes,
  options: { readonly coding: Coding; readonly limit: number },
): Promise<Bytes> {
  const rest = [bytes];
  const pieces = inflate(() => Promise.resolve(rest.pop()), options);
  const all: Bytes[] = [];
  for await (const piece of pieces) all.push(piece);
  return new Uint8Array(await new Blob(all).arrayBuffer());
}
