/**
 * Measures whole servers under load with wrk (Debian: `apt-get install wrk`).
 * It checks every response before it measures. In each round, the servers run one right
 * after the other, and it compares only measurements of the same round.
 *
 *     deno task bench:http [--servers=raw,careful,bough] [--cases=static,param]
 *       [--rounds=5] [--seconds=2] [--processes=1] [--reference=raw]
 *
 * To measure a change, compare with another checkout, as server "before" (if jsr.io
 * cannot be reached, run `deno task std` there once):
 *
 *     git worktree add /tmp/before HEAD~1
 *     deno task bench:http --servers=raw,bough --before=/tmp/before \
 *       --reference=before --rounds=7 --processes=2
 *
 * `--before=.` compares a checkout with itself, which shows the noise. Two processes of
 * the same server can differ permanently, since V8 compiles different machine code;
 * `--processes` pools several.
 */
import { medianText, option, table } from "../report.ts";
import { type Case, CASES } from "./cases.ts";
import { compare, type Measurement } from "./compare.ts";
import type { Load } from "./load.ts";
import { measure } from "./measure.ts";

const SERVERS = "raw,careful,bough,hono,elysia,h3";
/** The minimum for an interval of 95 % confidence. */
const ENOUGH_RATIOS = 6;

const before = option("before");
const names = (option("servers") ?? SERVERS).split(",")
  .concat(before === undefined ? [] : "before");
const reference = option("reference") ?? "raw";
const rounds = Number(option("rounds") ?? 5);
const seconds = Number(option("seconds") ?? 2);
const processes = Number(option("processes") ?? 1);

function chooseCases(): readonly Case[] {
  const wanted = option("cases")?.split(",");
  if (wanted === undefined) return CASES;
  return wanted.map((name) => {
    const found = CASES.find((each) => each.name === name);
    if (found !== undefined) return found;
    const all = CASES.map(({ name }) => name);
    throw new Error(`Cannot measure case "${name}": there are "${all}"`);
  });
}

/** A table with a row for each case, and a column for each compared server. */
function ratioTable(
  measurements: readonly Measurement[],
  figure: (load: Load) => number,
): string {
  const compared = names.filter((name) => name !== reference);
  const ratios = compared.map((server) =>
    compare(measurements, { server, reference, figure })
  );
  const rows = Object.keys(ratios[0]!).map((name) => [
    name,
    ...ratios.map((byCase) => medianText(byCase[name]!, 3)),
  ]);
  return table(["case", ...compared], rows);
}

if (!names.includes(reference) || names.length < 2) {
  throw new Error(
    `Cannot compare "${names}" with "${reference}": choose another --reference or more --servers`,
  );
}
const measurements = await measure(chooseCases(), {
  ...{ names, before, rounds, seconds, processes },
});
const count = rounds * processes;
const interval = count < ENOUGH_RATIOS
  ? "and the range of all, too few for a 95 % interval"
  : "and its 95 % interval";
const share =
  `as a share of ${reference}: median of ${count} ratios within a round (${interval})`;
const tables: Readonly<Record<string, (load: Load) => number>> = {
  "Requests per second": (load) => load.requests / load.seconds,
  "Requests per second of CPU time": (load) => load.requests / load.cpuSeconds,
  "Latency of the 99th percentile (less is better)": (load) => load.p99,
  "Resident memory after the load (less is better)": (load) => load.memory,
};
for (const [title, figure] of Object.entries(tables)) {
  console.log(`${title}, ${share}\n`);
  console.log(ratioTable(measurements, figure) + "\n");
}
