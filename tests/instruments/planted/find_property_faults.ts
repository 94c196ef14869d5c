/**
 * Plants every other fault in a copy of the bookshop, and prints a JSON object:
 * `deno run -A find_property_faults.ts 0`. Its members contain the names of faults:
 *
 * - `missed`: the property that the fault breaks does not find the fault.
 * - `unsteady`: a run of that property alone finds other failures.
 * - `unshown`: a `Deno.test` of a failure passes with the fault, or fails without it.
 *
 * `requests` is the number of requests that the runs sent.
 */
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
let requests = 0;
const missed: string[] = [];
const unsteady: string[] = [];
const unshown: string[] = [];
await withBookshop(files, async (correct) => {
  for (const fault of faults) {
    const { name, property } = fault;
    await withBookshop(plant(files, fault), async (faulty) => {
      const count = countRequests(faulty);
      const { failures: all } = await checkLoaded(faulty, run);
      requests += count();
      const failures = all.filter((failure) => failure.property === property);
      if (failures.length === 0) missed.push(name);
      const properties = [property];
      const again = await checkLoaded(faulty, { ...run, properties });
      const isSteady = all.every(({ replays }) => replays) &&
        requestsOf(failures) === requestsOf(again.failures);
      if (!isSteady) unsteady.push(name);
      for (const { test } of all) {
        const isShown = !await passesIn(faulty, test) &&
          await passesIn(correct, test);
        if (!isShown) unshown.push(`${name}: ${test}`);
      }
    });
  }
});
console.log(JSON.stringify({ missed, unsteady, unshown, requests }));

/** Counts the requests to a bookshop from now on. */
function countRequests({ app }: Bookshop): () => number {
  const { fetch } = app;
  let count = 0;
  const counting = (request: Request) => {
    count++;
    return fetch(request);
  };
  Object.assign(app, { fetch: counting });
  return () => count;
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
