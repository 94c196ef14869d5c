/**
 * Measures uploads against a loop by hand and against the bare library:
 * `deno run -A tests/uploads/measure.ts 2147483648 1`, the bytes and the number at once.
 */
import { assertEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";

/** A way in which `measure_app.ts` takes a body. */
export type Way = "loop" | "bare" | "form";

/** The highest memory in bytes, and the time in seconds. */
export interface Measured {
  readonly peak: number;
  readonly time: number;
}

const APP = fromFileUrl(new URL("measure_app.ts", import.meta.url));
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

/** Sends uploads at once to a process of their own. */
export async function measure(
  way: Way,
  bytes: number,
  parallel: number,
): Promise<Measured> {
  const folder = await Deno.makeTempDir({ prefix: "uploads_" });
  const process = new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-check", "-A", APP, folder],
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
  const [bytes = 2 ** 31, parallel = 1] = Deno.args.map(Number);
  for (const way of ["loop", "bare", "form", "loop", "bare", "form"] as const) {
    const { peak, time } = await measure(way, bytes, parallel);
    const speed = bytes * parallel / time / 1e6;
    console.log(
      `${way}: ${(peak / 2 ** 20).toFixed(1)} MiB, ${speed.toFixed()} MB/s`,
    );
  }
}
