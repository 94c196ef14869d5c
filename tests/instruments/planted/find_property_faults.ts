/**
 * Plants every other fault in a copy of the bookshop, and prints the names of those
 * that the property they break does not find, and how long that took, in seconds. It
 * prints the names of those whose failures are not the same when that property alone is
 * run once more, and of those whose `Deno.test` passes with the fault, or fails without
 * it: `deno run -A find_faults.ts 0`.
 */
import process from "node:process";
import type { ContractFailure } from "@bough/framework/testing";
import { FAULTS } from "./property_faults.ts";
import {
  AS,
  type Bookshop,
  bookshopFiles,
  checkLoaded,
  plant,
  withBookshop,
} from "./bookshop_copy.ts";
import { passes } from "../../testing/run_test_text.ts";

const [rest = "0"] = Deno.args;
const files = await bookshopFiles();
const run = { seed: 7, runs: 50 };
const faults = FAULTS.filter((_, index) => index % 2 === Number(rest));
const time = { wall: 0, cpu: 0 };
const missed: string[] = [];
const unsteady: string[] = [];
const untold: string[] = [];
await withBookshop(files, async (sound) => {
  for (const fault of faults) {
    const { name, property } = fault;
    const begin = elapsed();
    await withBookshop(plant(files, fault), async (faulty) => {
      const { failures: all } = await checkLoaded(faulty, run);
      const end = elapsed();
      time.wall += end.wall - begin.wall;
      time.cpu += end.cpu - begin.cpu;
      const failures = all.filter((failure) => failure.property === property);
      if (failures.length === 0) missed.push(name);
      const properties = [property];
      const again = await checkLoaded(faulty, { ...run, properties });
      const isSteady = all.every(({ replays }) => replays) &&
        requestsOf(failures) === requestsOf(again.failures);
      if (!isSteady) unsteady.push(name);
      for (const { test } of all) {
        const isTold = !await passesIn(faulty, test) &&
          await passesIn(sound, test);
        if (!isTold) untold.push(`${name}: ${test}`);
      }
    });
  }
});
console.log(JSON.stringify({ missed, unsteady, untold, time }));

/** The time of this process until now, in seconds. */
function elapsed(): { readonly wall: number; readonly cpu: number } {
  const { user, system } = process.cpuUsage();
  return { wall: performance.now() / 1e3, cpu: (user + system) / 1e6 };
}

/** The requests of failures; each run has other keys. */
function requestsOf(failures: readonly ContractFailure[]): string {
  return JSON.stringify(failures.map(({ requests }) => requests))
    .replaceAll(/"idempotency-key":"[^"]*"/g, "");
}

async function passesIn(
  { app, reset }: Bookshop,
  test: string,
): Promise<boolean> {
  reset();
  return await passes(test, app, AS);
}
