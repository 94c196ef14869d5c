/**
 * Opens idle streams and sockets, and measures the memory of a connection, and the growth
 * of the heap. Another client stops reading. The program exits with 1 if the heap grows
 * by more than 1 MiB, if a connection is lost, or if the events for the stalled client
 * exceed its buffer.
 *
 *     deno run -A tests/instruments/bench/live/idle.ts [--minutes=10] [--streams=5000] [--sockets=2000]
 */
import { fromFileUrl } from "@std/path";
import { option, table } from "../report.ts";

const minutes = Number(option("minutes") ?? 10);
const streams = Number(option("streams") ?? 5_000);
const sockets = Number(option("sockets") ?? 2_000);

/** The number of connections to open at once. */
const AT_ONCE = 100;

const MIB = 1024 * 1024;
const KIB = 1024;

interface State {
  readonly heapUsed: number;
  readonly rss: number;
  readonly streams: number;
  readonly sockets: number;
  readonly flooded: number;
}

const script = fromFileUrl(new URL("./idle_server.ts", import.meta.url));
const server = new Deno.Command(Deno.execPath(), {
  args: ["run", "-A", "--no-check", "--v8-flags=--expose-gc", script],
  stdout: "piped",
}).spawn();
const lines = server.stdout.pipeThrough(new TextDecoderStream()).getReader();
const port = Number((await lines.read()).value);

async function state(): Promise<State> {
  // The second collection frees objects that the first collection finalized.
  await (await fetch(`http://127.0.0.1:${port}/state`)).json();
  return await (await fetch(`http://127.0.0.1:${port}/state`)).json();
}

async function get(path: string): Promise<Deno.TcpConn> {
  const connection = await Deno.connect({ port, hostname: "127.0.0.1" });
  const head = `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n`;
  await connection.write(new TextEncoder().encode(head));
  return connection;
}

/** Opens a stream, waits for its first bytes, and continues to read. */
async function openStream(): Promise<void> {
  const connection = await get("/events");
  const buffer = new Uint8Array(1024);
  await connection.read(buffer);
  void (async () => {
    while (await connection.read(buffer) !== null);
  })().catch(() => {});
}

async function openSocket(): Promise<void> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/socket`);
  await new Promise((resolve, reject) => {
    socket.onopen = resolve;
    socket.onerror = reject;
  });
}

async function openMany(
  count: number,
  open: () => Promise<void>,
): Promise<void> {
  for (let opened = 0; opened < count; opened += AT_ONCE) {
    const rest = Math.min(AT_ONCE, count - opened);
    await Promise.all(Array.from({ length: rest }, open));
  }
}

/** The state after it no longer changes. */
async function settled(wanted: (state: State) => boolean): Promise<State> {
  for (let attempt = 0; attempt < 50; attempt++) {
    const now = await state();
    if (wanted(now)) return now;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return await state();
}

/** The memory of one connection, in KiB. */
function each(before: State, after: State, count: number): string[] {
  const of = (name: "heapUsed" | "rss") =>
    ((after[name] - before[name]) / KIB / count).toFixed(1);
  return [String(count), of("heapUsed"), of("rss")];
}

let failed = false;
function expect(isTrue: boolean, message: string): void {
  if (isTrue) return;
  console.error(message);
  failed = true;
}

const empty = await state();
await openMany(streams, openStream);
const streaming = await settled((now) => now.streams === streams);
await openMany(sockets, openSocket);
const full = await settled((now) => now.sockets === sockets);
console.log(
  table(["connections", "how many", "heap, KiB each", "RSS, KiB each"], [
    ["event streams", ...each(empty, streaming, streams)],
    ["sockets", ...each(streaming, full, sockets)],
  ]),
);

const stalled = await get("/flood");
let flooded = -1;
while (true) {
  await new Promise((resolve) => setTimeout(resolve, 1000));
  const now = await state();
  if (now.flooded === flooded) break;
  flooded = now.flooded;
}
console.log(
  `\nA reader that does not read was sent ${(flooded / MIB).toFixed(1)} MiB.`,
);
expect(flooded < 16 * MIB, "It holds back more than a few MiB");

const samples: State[] = [await state()];
const end = performance.now() + minutes * 60_000;
while (performance.now() < end) {
  await new Promise((resolve) => setTimeout(resolve, 10_000));
  samples.push(await state());
}
const [first, last] = [samples[0]!, samples.at(-1)!];
const growth = (last.heapUsed - first.heapUsed) / KIB;
console.log(
  `\nIn ${minutes} minutes the heap went from ${
    (first.heapUsed / MIB).toFixed(2)
  } to ${(last.heapUsed / MIB).toFixed(2)} MiB (${
    growth.toFixed(0)
  } KiB), RSS from ${(first.rss / MIB).toFixed(1)} to ${
    (last.rss / MIB).toFixed(1)
  } MiB.`,
);
expect(growth < KIB, "The heap has grown by more than 1 MiB");
expect(
  last.streams === streams && last.sockets === sockets,
  `Of the connections, ${last.streams} streams and ${last.sockets} sockets are left`,
);
expect(last.flooded === flooded, "The reader that does not read was sent more");
stalled.close();
server.kill("SIGKILL");
Deno.exit(failed ? 1 : 0);
