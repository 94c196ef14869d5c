/** Bodies of 256 MB against every way to read one: 413, and hardly any memory. */
import { assert, assertEquals } from "@std/assert";
import { TestFolder } from "../support/application.ts";
import { DenoProcess } from "../support/process.ts";
import { median } from "../instruments/bench/report.ts";

const MEBIBYTE = 1024 * 1024;
const SIZE = 256 * MEBIBYTE;
const CHUNK = new TextEncoder().encode("a".repeat(64 * 1024));
const WARM = 20;
const MEASURED = 5;
const MOST = 16 * MEBIBYTE;

const READ = `async (request, next) => {
  const { searchParams } = new URL(request.url);
  const way = searchParams.get("way");
  const body = way === "clone" ? request.clone() : request;
  if (searchParams.has("reader")) await body[searchParams.get("reader")]();
  return next === undefined ? new Response() : await next();
}`;

const FILES = {
  "main.ts": `
    import { Framework } from "@bough/framework";
    import { honoMiddleware } from "@bough/framework/hono";
    const read = ${READ};
    const in404 = (way, read) => (request, next) =>
      request.url.includes("way=" + way) ? read(request, next) : next();
    const app = new Framework({
      apiDir: "api",
      middleware: [
        in404("middleware", read),
        in404("bridge", honoMiddleware(async (c, next) => {
          await c.req.text();
          await next();
        })),
      ],
      onNotFound: (request) => request.url.includes("way=missing")
        ? read(request) : undefined,
    });
    await app.serve({
      hostname: "127.0.0.1",
      port: 0,
      onListen: ({ port }) => console.log("Listening on " + port + "."),
    });
  `,
  "api/read/route.js": `export const POST = ${READ};`,
  "api/checked/route.js": `
    import { z } from "npm:zod@^4.1.13";
    export const schema = { post: { body: z.unknown() } };
    export const POST = () => new Response();`,
  "api/guarded/middleware.js": `export default ${READ};`,
  "api/guarded/route.js": `export const GET = () => new Response();`,
  "api/memory/route.js":
    `export const GET = () => Response.json(Deno.memoryUsage().rss);`,
};

const WAYS = [
  "/api/read?way=handler&reader=json",
  "/api/read?way=handler&reader=text",
  "/api/read?way=handler&reader=formData",
  "/api/read?way=clone&reader=bytes",
  "/api/checked",
  "/api/guarded?way=folder&reader=text",
  "/none?way=middleware&reader=text",
  "/none?way=bridge",
  "/none?way=missing&reader=arrayBuffer",
  "/none?way=clone&middleware&way=middleware&reader=blob",
];

/** Sends a body until the server responds, and gives the status. */
async function send(
  port: number,
  target: string,
  framed: boolean,
): Promise<number> {
  using connection = await Deno.connect({ hostname: "127.0.0.1", port });
  let responded = false;
  const response = (async () => {
    const buffer = new Uint8Array(64 * 1024);
    const size = await connection.read(buffer).catch(() => null);
    responded = true;
    const text = new TextDecoder().decode(buffer.subarray(0, size ?? 0));
    return Number(text.split(" ")[1]);
  })();
  const length = framed
    ? `Content-Length: ${SIZE}`
    : "Transfer-Encoding: chunked";
  const writer = connection.writable.getWriter();
  try {
    await writer.write(new TextEncoder().encode(
      `POST ${target} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n${length}\r\n\r\n`,
    ));
    const head = new TextEncoder().encode(
      `${CHUNK.length.toString(16)}\r\n`,
    );
    const tail = new TextEncoder().encode("\r\n");
    for (let sent = 0; sent < SIZE && !responded; sent += CHUNK.length) {
      if (!framed) await writer.write(head);
      await writer.write(CHUNK);
      if (!framed) await writer.write(tail);
    }
  } catch {
    // The server has closed the connection after its response.
  }
  return await response;
}

Deno.test("a body of 256 MB is refused by whoever reads it, and takes no memory", async () => {
  await using folder = await TestFolder.create(FILES);
  await using process = new DenoProcess(folder.path, [
    "--allow-read",
    "--allow-net",
  ]);
  await process.printed("Listening on");
  const port = Number(/Listening on (\d+)/.exec(process.output)![1]);
  const memory = async (): Promise<number> =>
    await (await fetch(`http://127.0.0.1:${port}/api/memory`)).json();
  for (const target of WAYS) {
    for (const framed of [true, false]) {
      const name = `${target} ${framed ? "with a length" : "in chunks"}`;
      for (let count = 0; count < WARM; count++) {
        assertEquals(await send(port, target, framed), 413, name);
      }
      const growths = [];
      for (let count = 0; count < MEASURED; count++) {
        const before = await memory();
        assertEquals(await send(port, target, framed), 413, name);
        growths.push(await memory() - before);
      }
      const growth = median(growths) / MEBIBYTE;
      assert(median(growths) < MOST, `${name}: ${growth.toFixed(1)} MiB`);
    }
  }
  assertEquals(process.output.match(/\[bough\]/g), null, process.output);
});
