/**
 * Shows that bodies leak no memory, whether they match the schema or not, and arrive at
 * once or in parts. Exits with 1 if the heap of the server grows by more than
 * `ALLOWED_KIB`.
 *
 *     deno run --allow-net --v8-flags=--expose-gc tests/instruments/bench/memory/bodies.ts
 *       [--bodies=1000000]
 */
import { Framework, type FrameworkRequest } from "../../../../mod.ts";
import { z } from "zod";
import { option } from "../report.ts";

const ALLOWED_KIB = 1024;
const CONNECTIONS = 16;
/** The number of requests that a connection sends before it reads. */
const AT_ONCE = 50;

const bodies = Number(option("bodies") ?? 1_000_000);
const { gc } = globalThis as { gc?: () => void };
if (gc === undefined) throw new Error("Run it with --v8-flags=--expose-gc");

const schema = {
  post: { body: z.object({ id: z.int(), text: z.string().max(100) }) },
};
const app = new Framework({
  manifest: {
    "items/route.ts": {
      schema,
      POST: (request: FrameworkRequest<typeof schema.post>) =>
        Response.json(request.validated.body.id),
    },
    "echo/route.ts": {
      POST: async (request: FrameworkRequest) =>
        Response.json(await request.json()),
    },
  },
});
const server = await app.serve({
  hostname: "127.0.0.1",
  port: 0,
  onListen() {},
});

function post(path: string, body: string): string {
  return `POST ${path} HTTP/1.1\r\nhost: localhost\r\n` +
    `content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n` +
    body;
}

/** A body of each kind: three invalid bodies, one in parts, and one without a schema. */
function nextRequest(count: number): string {
  const body = JSON.stringify({ id: count, text: `the item ${count}` });
  switch (count % 6) {
    case 0:
      return post("/api/items", body.replace("text", "title"));
    case 1:
      return post("/api/items", body.slice(1));
    case 2:
      return post("/api/items", `[${body}]`);
    case 3:
      return `POST /api/items HTTP/1.1\r\nhost: localhost\r\n` +
        `content-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n` +
        `a\r\n${body.slice(0, 10)}\r\n` +
        `${(body.length - 10).toString(16)}\r\n${body.slice(10)}\r\n0\r\n\r\n`;
    case 4:
      return post("/api/echo", body);
    default:
      return post("/api/items", body);
  }
}

let sent = 0;

/** Sends bodies over one connection until all connections have sent `until` bodies. */
async function send(until: number): Promise<void> {
  const { hostname, port } = server.addr;
  const connection = await Deno.connect({ hostname, port });
  const buffer = new Uint8Array(64 * 1024);
  const decoder = new TextDecoder();
  while (sent < until) {
    const count = Math.min(AT_ONCE, until - sent);
    const first = sent;
    sent += count;
    const text = Array.from(
      { length: count },
      (_, index) => nextRequest(first + index),
    ).join("");
    const bytes = new TextEncoder().encode(text);
    for (let written = 0; written < bytes.length;) {
      written += await connection.write(bytes.subarray(written));
    }
    for (let responses = 0; responses < count;) {
      const read = await connection.read(buffer);
      if (read === null) throw new Error("The server closed the connection");
      const part = decoder.decode(buffer.subarray(0, read), { stream: true });
      responses += part.split("HTTP/1.1 ").length - 1;
    }
  }
  connection.close();
}

async function sendAll(until: number): Promise<void> {
  await Promise.all(Array.from({ length: CONNECTIONS }, () => send(until)));
}

function heap(): number {
  gc!();
  return Deno.memoryUsage().heapUsed / 1024;
}

const parts = 10;
await sendAll(bodies / parts);
const first = heap();
console.log(`after ${sent} bodies: ${first.toFixed(0)} KiB`);
for (let part = 2; part <= parts; part++) {
  await sendAll(part * bodies / parts);
  console.log(`after ${sent} bodies: ${heap().toFixed(0)} KiB`);
}
const grown = heap() - first;
console.log(`grown by ${grown.toFixed(0)} KiB`);
await server.shutdown();
Deno.exit(grown > ALLOWED_KIB ? 1 : 0);
