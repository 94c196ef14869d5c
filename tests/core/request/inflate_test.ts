import { assert, assertEquals, assertRejects } from "@std/assert";
import { deflateSync, gzipSync } from "node:zlib";
import { setImmediate } from "node:timers/promises";
import { type Coding, inflate } from "../../../src/core/request/inflate.ts";
import type { Bytes } from "../../../src/core/request/content.ts";
import { HttpError } from "../../../src/core/errors.ts";

const ENCODE = { gzip: gzipSync, deflate: deflateSync };
const CODINGS = ["gzip", "deflate"] as const;

function encoded(coding: Coding, text: string): Bytes {
  return new Uint8Array(ENCODE[coding](text));
}

function joined(...parts: (Uint8Array | number[])[]): Bytes {
  return new Uint8Array(parts.flatMap((part) => [...part]));
}

/** Decompresses chunks; returns the pieces. */
function pieces(
  coding: Coding,
  chunks: readonly Bytes[],
  limit = Infinity,
): Promise<Bytes[]> {
  const rest = [...chunks];
  const read = () => Promise.resolve(rest.shift());
  return Array.fromAsync(inflate(read, { coding, limit }));
}

async function textOf(...args: Parameters<typeof pieces>): Promise<string> {
  return await new Blob(await pieces(...args)).text();
}

/** The bytes as chunks of a byte each. */
function bytewise(bytes: Bytes): Bytes[] {
  return [...bytes].map((byte) => new Uint8Array([byte]));
}

Deno.test("several gzip members are one body, however they arrive (RFC 1952, 2.2)", async () => {
  const members = ["Emma", "", " and ", "Ada"].map((text) =>
    encoded("gzip", text)
  );
  const all = joined(...members);
  for (const chunks of [members, [all], bytewise(all)]) {
    assertEquals(await textOf("gzip", chunks), "Emma and Ada");
  }
});

Deno.test("data that is cut off anywhere, or has more bytes at its end, is malformed", async () => {
  for (const coding of CODINGS) {
    const bytes = encoded(coding, "Emma".repeat(20));
    assertEquals((await textOf(coding, [bytes])).length, 80);
    assertEquals(await textOf(coding, []), "");
    const malformed: Bytes[][] = [];
    for (let end = 1; end < bytes.length; end++) {
      const cut = bytes.slice(0, end);
      malformed.push([cut], bytewise(cut));
    }
    for (const rest of [[0], Array(600).fill(0), [0x1f], [0x1f, 0x8b], [65]]) {
      const chunks = [bytes, new Uint8Array(rest)];
      malformed.push(chunks, [joined(...chunks)]);
    }
    if (coding === "deflate") malformed.push([bytes, bytes]);
    for (const chunks of malformed) {
      await assertRejects(
        () => pieces(coding, chunks),
        SyntaxError,
        `The body is not valid ${coding}`,
      );
    }
  }
});

Deno.test("a flipped bit is malformed or changes only the header of a member", async () => {
  for (const coding of CODINGS) {
    const bytes = encoded(coding, "Emma");
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const flipped = bytes.slice();
      flipped[bit >> 3]! ^= 1 << (bit & 7);
      const text = await textOf(coding, [flipped]).catch((error) => error);
      assert(text === "Emma" || text instanceof SyntaxError, `bit ${bit}`);
    }
  }
});

Deno.test("a single chunk becomes pieces of at most 64 KiB, which the caller may transfer", async () => {
  for (const coding of CODINGS) {
    const chunk = encoded(coding, "x".repeat(1_000_000));
    const found = await pieces(coding, [chunk], 1_000_000);
    assertEquals(found.reduce((sum, { length }) => sum + length, 0), 1_000_000);
    for (const piece of found) {
      assert(piece.length <= 64 * 1024, `${piece.length} bytes`);
      assertEquals(piece.byteLength, piece.buffer.byteLength);
    }
  }
});

Deno.test("a piece above the limit ends the decompression, and the rest is not read", async () => {
  const bomb = encoded("gzip", "x".repeat(1_000_000));
  let read = 0;
  const chunks = inflate(() => Promise.resolve((read++, bomb)), {
    coding: "gzip",
    limit: 3_000_000,
  });
  let size = 0;
  const error = await assertRejects(async () => {
    for await (const { length } of chunks) size += length;
  }, HttpError);
  assertEquals(error.status, 413);
  assert(size <= 3_000_000 && size > 2_900_000, `${size}`);
  await setImmediate();
  const before = read;
  await setImmediate();
  assertEquals(read, before);
  // The chunks that were decompressed, and those that wait.
  assert(read * bomb.length < 80 * 1024, `${read} chunks`);
});

Deno.test("decompression waits for the caller, and ends if the caller stops reading", async () => {
  const chunk = encoded("gzip", "x".repeat(100_000));
  let read = 0;
  const chunks = inflate(() => Promise.resolve((read++, chunk)), {
    coding: "gzip",
    limit: Infinity,
  });
  await chunks.next();
  for (let turn = 0; turn < 100; turn++) await setImmediate();
  const before = read;
  for (let turn = 0; turn < 100; turn++) await setImmediate();
  assertEquals(read, before);
  await chunks.return();
  for (let turn = 0; turn < 100; turn++) await setImmediate();
  assertEquals(read, before);
});

Deno.test("other work runs between the pieces", async () => {
  const chunk = encoded("gzip", "x".repeat(4 * 1024 * 1024));
  let turns = 0;
  let isOver = false;
  const work = (async () => {
    for (; !isOver; turns++) await setImmediate();
  })();
  const found = await pieces("gzip", [chunk]);
  isOver = true;
  await work;
  assert(turns >= found.length / 2, `${turns} turns, ${found.length} pieces`);
});

Deno.test("an error of the source is passed on", async () => {
  const chunk = encoded("gzip", "x").slice(0, 12);
  const error = new HttpError(408);
  const rest = [Promise.resolve(chunk), Promise.reject(error)];
  const found = await assertRejects(() =>
    Array.fromAsync(
      inflate(() => rest.shift()!, { coding: "gzip", limit: 100 }),
    )
  );
  assertEquals(found, error);
});
