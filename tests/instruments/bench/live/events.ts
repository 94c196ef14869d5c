/**
 * Measures how many events a second a server streams to one client: Bough, a stream
 * written by hand, and a stream with `ServerSentEventStream`. In each round, the servers
 * run one right after the other, and it compares only measurements of the same round. On
 * Linux, it also compares processor times, which other programs disturb less.
 *
 *     deno run -A tests/instruments/bench/live/events.ts [--rounds=7] [--count=100000]
 */
import { fromFileUrl } from "@std/path";
import { median, medianText, option, table } from "../report.ts";

const NAMES = ["bough", "hand", "std"] as const;
const rounds = Number(option("rounds") ?? 7);
const count = Number(option("count") ?? 100_000);

interface Server {
  readonly name: string;
  readonly pid: number;
  readonly port: number;
}

interface Measurement {
  readonly perSecond: number;
  /** Microseconds of processor time for an event; `NaN` if it cannot be read. */
  readonly processor: number;
}

async function start(
  name: string,
  stack: AsyncDisposableStack,
): Promise<Server> {
  const script = fromFileUrl(new URL("./events_server.ts", import.meta.url));
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", script, name],
    stdout: "piped",
  }).spawn();
  stack.defer(async () => {
    child.kill();
    await child.status;
  });
  const lines = child.stdout.pipeThrough(new TextDecoderStream());
  const reader = lines.getReader();
  const port = Number((await reader.read()).value);
  stack.defer(() => reader.cancel());
  return { name, pid: child.pid, port };
}

/** The processor time of a process so far, in microseconds. */
async function processorTime(pid: number): Promise<number> {
  const stat = await Deno.readTextFile(`/proc/${pid}/stat`).catch(() => "");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10_000;
}

async function measure(
  { pid, port, name }: Server,
  events: number,
): Promise<Measurement> {
  const before = await processorTime(pid);
  const start = performance.now();
  using connection = await Deno.connect({ hostname: "127.0.0.1", port });
  const head =
    `GET /orders?count=${events} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
  await connection.write(new TextEncoder().encode(head));
  const buffer = new Uint8Array(64 * 1024);
  const decoder = new TextDecoder();
  let tail = "";
  while (!tail.endsWith("0\r\n\r\n")) {
    const size = await connection.read(buffer);
    if (size === null) throw new Error(`${name} closed the connection`);
    tail = (tail + decoder.decode(buffer.subarray(0, size))).slice(-200);
  }
  if (!new RegExp(`^id: ?${events}$`, "m").test(tail)) {
    throw new Error(`${name} did not send the last event: ${tail}`);
  }
  const seconds = (performance.now() - start) / 1000;
  const used = await processorTime(pid) - before;
  return { perSecond: events / seconds, processor: used / events };
}

await using stack = new AsyncDisposableStack();
const servers: Server[] = [];
for (const name of NAMES) servers.push(await start(name, stack));
for (const server of servers) await measure(server, count);

const results = new Map<string, Measurement[]>(NAMES.map((name) => [name, []]));
for (let round = 0; round < rounds; round++) {
  for (let turn = 0; turn < servers.length; turn++) {
    const server = servers[(round + turn) % servers.length]!;
    results.get(server.name)!.push(await measure(server, count));
  }
}

const bough = results.get("bough")!;
console.log(table(
  ["server", "events a second", "Bough's share", "µs of processor", "ratio"],
  NAMES.map((name) => {
    const own = results.get(name)!;
    const shares = bough.map((each, round) =>
      each.perSecond / own[round]!.perSecond
    );
    const ratios = bough.map((each, round) =>
      own[round]!.processor / each.processor
    );
    return [
      name,
      median(own.map(({ perSecond }) => perSecond)).toFixed(0),
      medianText(shares, 3),
      median(own.map(({ processor }) => processor)).toFixed(2),
      median(ratios).toFixed(3),
    ];
  }),
));
