/**
 * Compares uploads of `form()` with a loop written by hand and with the bare library, in
 * interleaved rounds. Reports the time as a share of the library's, and the memory.
 *
 *     deno run -A tests/instruments/bench/uploads/main.ts
 *       [--bytes=300000000] [--parallel=1] [--rounds=4]
 */
import { assertEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { median, option, table } from "../report.ts";

const WAYS = ["loop", "bare", "form"] as const;

/** A way in which `server.ts` reads a body. */
export type Way = typeof WAYS[number];

/** The highest memory in bytes, and the time in seconds. */
export interface Measured {
  readonly peak: number;
  readonly time: number;
}

const SERVER = fromFileUrl(new URL("server.ts", import.meta.url));
const ENCODER = new TextEncoder();
const HEAD = ENCODER.encode(
  '--b\r\nContent-Disposition: form-data; name="photo"; filename="a"\r\n\r\n',
);
const TAIL = ENCODER.encode("\r\n--b--\r\n");
const CHUNK = crypto.getRandomValues(new Uint8Array(65_536));

async function upload(port: number, way: Way, bytes: number): Promise<void> {
  using connection = await Deno.connect({ hostname: "127.0.0.1", port });
  const send = async (bytes: Uint8Array) => {
    for (let sent = 0; sent < bytes.length;) {
      sent += await connection.write(bytes.subarray(sent));
    }
  };
  const length = HEAD.length + bytes + TAIL.length;
  await send(ENCODER.encode(
    `POST /api/${way} HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=b\r\n` +
      `Content-Length: ${length}\r\nConnection: close\r\n\r\n`,
  ));
  await send(HEAD);
  for (let rest = bytes; rest > 0; rest -= CHUNK.length) {
    await send(CHUNK.subarray(0, rest));
  }
  await send(TAIL);
  const text = await new Response(connection.readable).text();
  assertEquals(text.split("\r\n\r\n")[1], `${way === "loop" ? length : bytes}`);
}

/** Sends parallel uploads to a new process. */
export async function measure(
  way: Way,
  bytes: number,
  parallel: number,
): Promise<Measured> {
  const folder = await Deno.makeTempDir({ prefix: "uploads_" });
  const process = new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-check", "-A", SERVER, folder],
    stdout: "piped",
  }).spawn();
  try {
    const reader = process.stdout.getReader();
    const { value } = await reader.read();
    await reader.cancel();
    const port = Number(new TextDecoder().decode(value));
    const start = performance.now();
    await Promise.all(
      Array.from({ length: parallel }, () => upload(port, way, bytes)),
    );
    const time = (performance.now() - start) / 1_000;
    const response = await fetch(`http://127.0.0.1:${port}/api/peak`);
    return { peak: await response.json(), time };
  } finally {
    process.kill("SIGKILL");
    await process.status;
    await Deno.remove(folder, { recursive: true });
  }
}

if (import.meta.main) {
  const bytes = Number(option("bytes") ?? 300_000_000);
  const parallel = Number(option("parallel") ?? 1);
  const rounds = Number(option("rounds") ?? 4);
  const measured: Record<Way, Measured[]> = { loop: [], bare: [], form: [] };
  for (let round = 0; round < rounds; round++) {
    for (const way of WAYS) {
      measured[way].push(await measure(way, bytes, parallel));
    }
  }
  const rows = WAYS.map((way) => {
    const shares = measured[way].map(({ time }, round) =>
      time / measured.bare[round]!.time
    );
    const peak = Math.min(...measured[way].map(({ peak }) => peak));
    return [way, median(shares).toFixed(2), (peak / 2 ** 20).toFixed(1)];
  });
  console.log(table(["read by", "time, of the library", "MiB"], rows));
}
