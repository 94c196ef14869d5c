/** Bodies of 256 MB, in every way to read one: 413, and little memory. */
import { assert, assertEquals } from "@std/assert";
import { median } from "../../instruments/bench/report.ts";
import { FOLDER, ServingProcess } from "./support.ts";

const MEBIBYTE = 1024 * 1024;
const SIZE = 256 * MEBIBYTE;
const CHUNK = new TextEncoder().encode("a".repeat(64 * 1024));
const MEASURED = 3;
const MOST = 16 * MEBIBYTE;

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

/** Sends a body until the server responds, and returns the status. */
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

Deno.test("every reader refuses a body of 256 MB, without buffering it", async () => {
  await using process = await new ServingProcess(
    FOLDER,
    ["--allow-net"],
    "large_bodies_program.ts",
  ).listen();
  const { port } = process;
  const memory = async (): Promise<number> =>
    await (await fetch(`http://127.0.0.1:${port}/api/memory`)).json();
  for (const target of WAYS) {
    for (const framed of [true, false]) {
      const name = `${target} ${framed ? "with a length" : "in chunks"}`;
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
