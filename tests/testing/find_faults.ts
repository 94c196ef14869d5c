/**
 * Plants every other fault in a copy of the bookshop, and prints the names of those
 * that the property they break does not find, and how long that took, in seconds from
 * the start of the process. Then it runs that property alone once more, and prints the
 * names of the faults whose failures are not the same: `deno run -A find_faults.ts 0`.
 */
import process from "node:process";
import type { ContractFailure } from "@bough/framework/testing";
import { FAULTS } from "./faults.ts";
import { bookshopFiles, checkBookshop, plant } from "./planted.ts";

const [rest = "0"] = Deno.args;
const files = await bookshopFiles();
const run = { seed: 7, runs: 50 };
const faults = FAULTS.filter((_, index) => index % 2 === Number(rest));
const found = new Map<string, readonly ContractFailure[]>();
for (const fault of faults) {
  const { failures } = await checkBookshop(plant(files, fault), run);
  found.set(fault.name, failures);
}
const { user, system } = process.cpuUsage();
const time = { wall: performance.now() / 1e3, cpu: (user + system) / 1e6 };

const missed: string[] = [];
const unsteady: string[] = [];
for (const fault of faults) {
  const { name, property } = fault;
  const all = found.get(name)!;
  const failures = all.filter((failure) => failure.property === property);
  if (failures.length === 0) missed.push(name);
  const again = await checkBookshop(plant(files, fault), {
    ...run,
    properties: [property],
  });
  const isSteady = all.every(({ replays }) => replays) &&
    requestsOf(failures) === requestsOf(again.failures);
  if (!isSteady) unsteady.push(name);
}
console.log(JSON.stringify({ missed, unsteady, time }));

function requestsOf(failures: readonly ContractFailure[]): string {
  return JSON.stringify(failures.map(({ requests }) => requests));
}
