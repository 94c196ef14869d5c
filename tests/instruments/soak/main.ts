/**
 * Keeps an application under full load with mixed traffic, and checks every response.
 * Exits with 1 if a response is wrong, if memory grows, if a connection stays open, or if
 * the server prints a line.
 *
 *     deno task soak [--minutes=20] [--clients=32] [--seed=…]
 *
 * CI runs `deno task soak --minutes=1`. The report of a wrong response names the seed of
 * its exchange. A run with that seed starts with the same exchange.
 */
import { option } from "../bench/report.ts";
import { type Holdings, ServerProcess } from "./server_process.ts";
import { riseOf } from "./steadiness.ts";
import { Traffic } from "./traffic.ts";

const KIB = 1024;
const MIB = 1024 * KIB;
/** The maximum rise of the heap after the warm-up: its trend, and its growth. */
const HEAP = { trend: 256 * KIB, growth: MIB };
/**
 * The maximum growth of the process, if it grows in each quarter of the run. A single
 * step does not count, since allocators keep a peak (58 MiB in one run of CI).
 */
const RSS_SUSTAINED = 32 * MIB;
/**
 * The number of exchanges before the first sample, in which V8 compiles code and pools
 * fill up. On a busy machine, that takes longer than a part of the run.
 */
const WARM_UP = 15_000;
/** The time in which a server without clients must stop, in milliseconds. */
const STOP_TIMEOUT = 5_000;

function report(minute: number, traffic: Traffic, holdings: Holdings): void {
  const { heap, rss, descriptors, live } = holdings;
  console.log(
    [
      `${minute.toFixed(2)} minutes`,
      `${traffic.count} exchanges`,
      `${traffic.wrong.length} wrong`,
      `heap ${kib(heap)}`,
      `RSS ${kib(rss)}`,
      `${descriptors} descriptors`,
      `${live} live`,
    ].join(", "),
  );
}

function kib(bytes: number): string {
  return `${(bytes / KIB).toFixed(0)} KiB`;
}

/** The faults in the memory of a server, and its open connections. */
function leaks(idle: Holdings, samples: readonly Holdings[]): string[] {
  const heap = riseOf(samples.map(({ heap }) => heap));
  const rss = riseOf(samples.map(({ rss }) => rss));
  console.log(
    `heap: trend ${kib(heap.trend)}, growth ${kib(heap.growth)}; RSS: growth ${
      kib(rss.growth)
    }, sustained ${kib(rss.sustained)}`,
  );
  const { descriptors, live } = samples.at(-1)!;
  const open = descriptors - idle.descriptors;
  return [
    heap.trend > HEAP.trend && "the heap rises steadily",
    heap.growth > HEAP.growth && "the heap has grown",
    rss.sustained > RSS_SUSTAINED && "the process grows steadily",
    open > 0 && `${open} descriptors are left open`,
    live > 0 && `${live} streams or sockets are left open`,
  ].filter((fault) => fault !== false);
}

async function soak(): Promise<string[]> {
  const minutes = Number(option("minutes") ?? 20);
  if (!(minutes > 0)) throw new RangeError("--minutes must be more than 0");
  const clients = Number(option("clients") ?? 32);
  const seed = Number(option("seed") ?? Date.now());
  console.log(`${minutes} minutes, ${clients} clients, --seed=${seed}`);

  await using server = await ServerProcess.start();
  const traffic = new Traffic(server.port, seed);
  const idle = await server.holdings();
  report(0, traffic, idle);
  while (traffic.count < WARM_UP && traffic.wrong.length === 0) {
    await traffic.run(clients, 1_000);
  }
  const samples: Holdings[] = [];
  const parts = Math.max(20, Math.round(minutes));
  for (let part = 1; part <= parts; part++) {
    await traffic.run(clients, minutes * 60_000 / parts);
    // After a wrong response, the server may not report its memory.
    if (traffic.wrong.length > 0) return [...traffic.wrong, server.printed];
    samples.push(await server.holdings());
    report(part * minutes / parts, traffic, samples.at(-1)!);
  }

  const faults = leaks(idle, samples);
  for (const name of traffic.missing) faults.push(`never sent: ${name}`);
  const { code, duration } = await server.stop();
  if (code !== 0) faults.push(`the server ended with ${code}`);
  if (duration > STOP_TIMEOUT) {
    faults.push(`the server took ${duration} ms to stop`);
  }
  if (server.printed !== "") faults.push(server.printed);
  return faults;
}

const faults = await soak();
for (const fault of faults) console.error(fault);
if (faults.length > 0) Deno.exit(1);
console.log("Every response was right, and no connection stayed open.");
