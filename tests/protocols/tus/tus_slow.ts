/** Slow: `tus-js-client` sends 64 MiB in many parts. */
import { assert, assertEquals, assertMatch } from "@std/assert";
import type { Buffer } from "node:buffer";
import { createHash, randomBytes } from "node:crypto";
import { Upload, type UploadOptions } from "npm:tus-js-client@^4.3.1";
import { TusServer } from "./support.ts";

const MEBIBYTE = 2 ** 20;
const TUS = { "tus-resumable": "1.0.0" };

/** Sends bytes with the client; resolves with the URL, or when `stopAt` bytes are sent. */
function send(
  bytes: Buffer,
  options: UploadOptions,
  stopAt = Infinity,
): Promise<{ url: string; isComplete: boolean }> {
  return new Promise((resolve, reject) => {
    const end = (isComplete: boolean) =>
      resolve({ url: upload.url!, isComplete });
    let isStopped = false;
    const upload: Upload = new Upload(bytes, {
      retryDelays: null,
      ...options,
      onError: reject,
      onSuccess: () => end(true),
      onProgress(sent) {
        if (sent < stopAt || sent === bytes.length || isStopped) return;
        isStopped = true;
        void upload.abort(); // without waiting for its connection to close
        end(false);
      },
    });
    upload.start();
  });
}

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((go) => setTimeout(go, 5));
}

/** Creates an upload and returns its URL. */
async function create(server: TusServer, length: number): Promise<string> {
  const response = await fetch(server.endpoint, {
    method: "POST",
    headers: { ...TUS, "upload-length": String(length) },
  });
  assertEquals(response.status, 201);
  return new URL(response.headers.get("location")!, server.endpoint).href;
}

function patch(
  url: string,
  body: string,
  headers: Record<string, string>,
): Promise<Response> {
  const type = { "content-type": "application/offset+octet-stream" };
  headers = { ...TUS, ...type, ...headers };
  return fetch(url, { method: "PATCH", headers, body });
}

Deno.test("tus-js-client uploads a file in parts, with its metadata", async () => {
  await using server = await TusServer.open();
  const bytes = randomBytes(10 * MEBIBYTE + 1);
  const { url } = await send(bytes, {
    endpoint: server.endpoint,
    chunkSize: MEBIBYTE,
    metadata: { name: "schöne Welt.svg", type: "" },
  });
  assert(bytes.equals(await server.bytes(url)));
  const response = await fetch(url, { method: "HEAD", headers: TUS });
  assertEquals(response.headers.get("upload-offset"), String(bytes.length));
  assertMatch(response.headers.get("upload-metadata")!, /^name c2No.*,type$/);
  assertEquals(response.headers.get("cache-control"), "no-store");
});

Deno.test("tus-js-client resumes at once after each of several aborts", async () => {
  await using server = await TusServer.open();
  const bytes = randomBytes(64 * MEBIBYTE);
  const offsets: number[] = [];
  const options: UploadOptions = {
    endpoint: server.endpoint,
    onAfterResponse(request, response) {
      if (request.getMethod() !== "HEAD") return;
      offsets.push(Number(response.getHeader("upload-offset")));
    },
  };
  let sent = await send(bytes, options, MEBIBYTE);
  while (!sent.isComplete) {
    const next = (offsets.at(-1) ?? 0) + 8 * MEBIBYTE;
    sent = await send(bytes, { ...options, uploadUrl: sent.url }, next);
  }
  assert(bytes.equals(await server.bytes(sent.url)));
  assert(offsets.length >= 4, `resumed at ${offsets}`);
  assert(offsets.at(-1)! > 0);
  assertEquals(offsets, offsets.toSorted((a, b) => a - b));
});

Deno.test("a resume stops an aborted part whose connection is still open", async () => {
  await using server = await TusServer.open();
  const bytes = randomBytes(1_000);
  const url = await create(server, bytes.length);
  const { hostname, port, pathname } = new URL(url);
  using connection = await Deno.connect({ hostname, port: Number(port) });
  const head = `PATCH ${pathname} HTTP/1.1\r\nHost: localhost\r\n` +
    "Content-Type: application/offset+octet-stream\r\nUpload-Offset: 0\r\n" +
    "Tus-Resumable: 1.0.0\r\nContent-Length: 1000\r\n\r\n";
  await connection.write(new TextEncoder().encode(head));
  await connection.write(bytes.subarray(0, 400));
  await until(() => Deno.statSync(server.path(url)).size === 400);
  await send(bytes, { uploadUrl: url });
  await connection.write(bytes.subarray(0, 600)).catch(() => {});
  const buffer = new Uint8Array(1_000);
  const count = await connection.read(buffer);
  const answer = new TextDecoder().decode(buffer.subarray(0, count ?? 0));
  assertMatch(answer, /^HTTP\/1\.1 409 /);
  assert(bytes.equals(await server.bytes(url)));
});

Deno.test("a part with another checksum, or beyond the length of its upload, is dropped", async () => {
  await using server = await TusServer.open();
  const url = await create(server, 5);
  const checksum = createHash("sha1").update("hello").digest("base64");
  const sha1 = { "upload-checksum": `sha1 ${checksum}` };
  for (
    const [body, headers, status, size] of [
      ["hallo", sha1, 460, 0],
      ["hello!", {}, 400, 0],
      ["hello", sha1, 204, 5],
    ] as const
  ) {
    const offset = { "upload-offset": "0" };
    const response = await patch(url, body, { ...offset, ...headers });
    assertEquals(response.status, status, body);
    assertEquals((await server.bytes(url)).length, size, body);
  }
});

Deno.test("a removed or expired upload is gone", async () => {
  await using server = await TusServer.open();
  const [removed, expired] = [await create(server, 5), await create(server, 5)];
  const options = { method: "DELETE", headers: TUS };
  assertEquals((await fetch(removed, options)).status, 204);
  await Deno.utime(server.path(expired), 0, 0);
  for (const url of [removed, expired]) {
    const response = await fetch(url, { method: "HEAD", headers: TUS });
    assertEquals(response.status, 404);
    assertEquals(response.headers.get("tus-resumable"), "1.0.0");
  }
  await create(server, 5);
  assertEquals([...Deno.readDirSync(server.folder)].length, 2);
});

Deno.test("the server names its version, also to clients of another version", async () => {
  await using server = await TusServer.open();
  const options = await fetch(server.endpoint, { method: "OPTIONS" });
  assertEquals(options.status, 204);
  assertEquals(options.headers.get("tus-version"), "1.0.0");
  assertMatch(options.headers.get("tus-extension")!, /^creation,/);
  const headers = { "tus-resumable": "0.2.2", "upload-length": "5" };
  const old = await fetch(server.endpoint, { method: "POST", headers });
  assertEquals(old.status, 412);
  assertEquals(old.headers.get("tus-version"), "1.0.0");
  await old.body?.cancel();
});
