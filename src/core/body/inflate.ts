import { shorten } from "../common/values.ts";
import { HttpError } from "../errors.ts";
import { ownError, tooLarge } from "../own_errors.ts";
import type { Bytes } from "./read.ts";

/** The encodings of bodies that Bough decompresses (RFC 9110, 8.4.1). */
export type Coding = "gzip" | "deflate";

/**
 * Returns the encoding of a body; `undefined` if the body is not encoded.
 *
 * @throws {HttpError} 415 for another encoding, or several, with the accepted encodings
 * (RFC 9110, 15.5.16).
 */
export function codingOf({ headers }: Request): Coding | undefined {
  const header = headers.get("content-encoding")?.trim() || "identity";
  const coding = header.toLowerCase();
  if (coding === "identity") return undefined;
  if (coding === "gzip" || coding === "x-gzip") return "gzip";
  if (coding === "deflate") return "deflate";
  const found = shorten(header, 100);
  const detail =
    `The body is encoded with "${found}"; send it with gzip or deflate, or unencoded`;
  throw ownError("UnsupportedMediaType", detail, {
    headers: { "accept-encoding": "gzip, deflate" },
  });
}

/** The size of a decompressed piece, in bytes. */
const PIECE = 64 * 1024;

/**
 * Decompresses bytes while they arrive, in pieces that the caller may keep. Without
 * bytes, there are no pieces.
 *
 * @param read Reads the next bytes; `undefined` at their end.
 * @param options The encoding, and the limit of the decompressed bytes.
 * @throws {HttpError} 413 above the limit, and the errors of `read`.
 * @throws {SyntaxError} If the data is malformed or cut off, or if other bytes follow.
 */
export async function* inflate(
  read: () => Promise<Bytes | undefined>,
  { coding, limit }: { readonly coding: Coding; readonly limit: number },
): AsyncGenerator<Bytes, void> {
  const first = await read();
  if (first === undefined) return;
  const [zlib, { pipeline }, { setImmediate }] = await Promise.all([
    import("node:zlib"),
    import("node:stream"),
    import("node:timers/promises"),
  ]);
  let sent = 0;
  async function* sentBytes(): AsyncGenerator<Bytes, void> {
    for (let chunk = first; chunk !== undefined; chunk = await read()) {
      sent += chunk.length;
      yield chunk;
    }
  }
  const engine = coding === "gzip"
    ? zlib.createGunzip({ chunkSize: PIECE })
    : zlib.createInflate({ chunkSize: PIECE });
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
  const pieces: Bytes[] = [];
  let size = 0;
  for await (const piece of inflate(async () => await rest.pop(), options)) {
    pieces.push(piece);
    size += piece.length;
  }
  const result = new Uint8Array(size);
  for (const piece of pieces.reverse()) result.set(piece, size -= piece.length);
  return result;
}
