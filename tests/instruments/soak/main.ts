/**
 * Keeps an application under full load with mixed traffic, errors, uploads,
 * event streams and sockets included, and checks every response. Exits with 1 if one is wrong, if memory is
 * not steady, if anything is left open, or if the server prints anything.
 *
 *     deno task soak [--minutes=20] [--clients=32] [--seed=…]
 *
 * CI runs `deno task soak --minutes=1`. A wrong response is reported with the seed
 * of its exchange: a run with that seed begins with the same exchange.
 */
import { option } from "../bench/report.ts";
import { type Holdings, ServerProcess } from "./server_process.ts";
import { riseOf } from "./steadiness.ts";
import { Traffic } from "./traffic.ts";

const KIB = 1024;
const MIB = 1024 * KIB;
/** How much the heap may rise after the warm-up: as a trend, and at all. */
const HEAP = { trend: 256 * KIB, growth: MIB };
/**
 * How much the process may grow, where it grows in each quarter of the run. One step
 * tells nothing, since allocators keep a peak: in one run of CI, 58 MiB.
 */
const RSS_SUSTAINED = 32 * MIB;
/**
 * How many exchanges come before the first sample. Until then code is compiled and
 * pools fill up: on a busy machine, that takes longer than a part of the run.
 */
const WARM_UP = 15_000;
/** How long, in milliseconds, a server without clients may take to stop. */
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

/** What is wrong with the memory of a server, and what it left open. */
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
    // A server that responds wrongly may not respond to this question, either.
    if (traffic.wrong.length > 0) return [...traffic.wrong, server.printed];
    samples.push(await server.holdings());
    report(part * minutes / parts, traffic, samples.at(-1)!);
  }

  const faults = leaks(idle, samples);
  for (const name of traffic.missing) faults.push(`never made: ${name}`);
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
console.log("Every response was right, and nothing was left behind.");
