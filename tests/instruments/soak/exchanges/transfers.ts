import { assert, assertEquals } from "@std/assert";
import { sendAndLeave } from "../../../support/raw_http.ts";
import {
  assertResponse,
  empty,
  type ExpectedResponse,
  json,
} from "../expected_response.ts";
import type { Client, Exchanges } from "../client.ts";
import { Random } from "../random.ts";

const MEGABYTE = 1024 * 1024;
const NOISE = noise(4 * MEGABYTE);

function noise(size: number): Uint8Array<ArrayBuffer> {
  const random = new Random(1);
  return Uint8Array.from({ length: size }, () => random.below(256));
}

const DOWNLOAD = empty(200, { "content-type": "application/octet-stream" });

/** From 0 bytes to 4 MiB of random data, mostly little. */
function someBytes({ random }: Client): Uint8Array<ArrayBuffer> {
  const max = random.pick([1, 1_000, 100_000, MEGABYTE, 4 * MEGABYTE]);
  const size = random.below(max + 1);
  const start = random.below(NOISE.length - size + 1);
  return NOISE.subarray(start, start + size);
}

async function upload(
  client: Client,
  bytes: Uint8Array<ArrayBuffer>,
  body: BodyInit,
): Promise<void> {
  const digest = await crypto.subtle.digest("SHA-256", bytes);
  const checksum = new Uint8Array(digest).toHex();
  await client.expect(
    json({ size: bytes.length, checksum }),
    "/api/uploads",
    { method: "POST", body },
  );
}

/** Compares status and headers before the body arrives. */
function assertHead(
  { status, headers }: Response,
  expected: ExpectedResponse,
): void {
  assertResponse({ status, headers, body: "" }, expected);
}

/** Uploads, downloads, endless streams, and clients that vanish. */
export const TRANSFERS: Exchanges = {
  "an upload": async (client) => {
    const bytes = someBytes(client);
    await upload(client, bytes, bytes);
  },

  "an upload in chunks": async (client) => {
    const bytes = someBytes(client);
    await upload(client, bytes, new Blob([bytes]).stream());
  },

  "an incomplete upload": async ({ port, random }) => {
    const size = 1 + random.below(MEGABYTE);
    await sendAndLeave(
      port,
      `POST /api/uploads HTTP/1.1\r\nHost: h\r\nContent-Length: ${size}\r\n\r\n` +
        "a".repeat(random.below(size)),
    );
  },

  "an aborted upload": async (client) => {
    const leaving = new AbortController();
    const response = client.fetch("/api/uploads", {
      method: "POST",
      body: NOISE,
      signal: leaving.signal,
    }).then((response) => response.body?.cancel());
    await new Promise((go) => setTimeout(go, client.random.below(10)));
    leaving.abort();
    await response.catch(() => {});
  },

  "a download": async (client) => {
    const size = client.random.below(MEGABYTE);
    const response = await client.fetch(`/api/downloads/${size}`);
    assertHead(response, DOWNLOAD);
    const bytes = await response.bytes();
    assertEquals(bytes.length, size);
    assert(bytes.every((byte, at) => byte === at % 256));
  },

  "an aborted download": async (client) => {
    const response = await client.fetch(`/api/downloads/${100 * MEGABYTE}`);
    assertHead(response, DOWNLOAD);
    const reader = response.body!.getReader();
    const { value } = await reader.read();
    assert(value!.every((byte, at) => byte === at % 256));
    await reader.cancel();
  },
};
