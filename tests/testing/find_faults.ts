/**
 * Plants every other fault in a copy of the bookshop, and prints the names of those
 * that the property they break does not find, and of those whose failures are not the
 * same in a second run: `deno run -A find_faults.ts 0`.
 */
import type { ContractFailure } from "@bough/framework/testing";
import { FAULTS } from "./faults.ts";
import { bookshopFiles, checkBookshop, plant } from "./planted.ts";

const [rest = "0"] = Deno.args;
const files = await bookshopFiles();
const missed: string[] = [];
const unsteady: string[] = [];
for (const [index, fault] of FAULTS.entries()) {
  if (index % 2 !== Number(rest)) continue;
  const planted = plant(files, fault);
  const { property } = fault;
  const run = { seed: 7, runs: 50 };
  const all = (await checkBookshop(planted, run)).failures;
  const failures = all.filter((failure) => failure.property === property);
  if (failures.length === 0) missed.push(fault.name);
  const properties = [property];
  const again = await checkBookshop(planted, { ...run, properties });
  const isSteady = all.every(({ replays }) => replays) &&
    requestsOf(failures) === requestsOf(again.failures);
  if (!isSteady) unsteady.push(fault.name);
}
console.log(JSON.stringify({ missed, unsteady }));

function requestsOf(failures: readonly ContractFailure[]): string {
  return JSON.stringify(failures.map(({ requests }) => requests));
}
