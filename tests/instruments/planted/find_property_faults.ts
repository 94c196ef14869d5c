/**
 * Plants every other fault in a copy of the bookshop, and prints a JSON object:
 * `deno run -A find_property_faults.ts 0`. Of the 20 undeclared responses, which one check
 * finds, it plants a third; `deno run -A find_property_faults.ts 0 all` plants all. The
 * members of the object contain the names of faults:
 *
 * - `missed`: the property that the fault breaks does not find the fault.
 * - `unsteady`: a failure does not replay, or a run of all properties finds others of
 *   that property; every tenth fault has such a run.
 * - `unshown`: a `Deno.test` of a failure passes with the fault, or fails without it.
 *
 * `count` is the number of planted faults, and `requests` that of the requests.
 */
import process from "node:process";
import {
  checkContracts,
  type ContractFailure,
  type TestedApplication,
} from "@bough/framework/testing";
import { FAULTS, SAMPLE } from "./property_faults.ts";
import {
  APPLICATIONS,
  type ContractTestCall,
  filesOf,
  plant,
  withCopy,
} from "./applications.ts";
import { passes } from "../../testing/run_test_text.ts";

// Contract tests shrink a failure for at most 3 s, which a busy machine reaches sooner. So
// this clock adds the CPU time and the waits.
let waited = 0;
const later = setTimeout;
const counting = (run: () => void, wait = 0) =>
  later(() => {
    waited += wait;
    run();
  }, wait);
Object.assign(globalThis, { setTimeout: counting });
performance.now = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000 + waited;
};

const [rest = "0", all] = Deno.args;
const files = await filesOf(APPLICATIONS.bookshop);
const run = { seed: 7, runs: 50 };
const planted = all === "all" ? FAULTS : SAMPLE;
const faults = planted.filter((_, index) => index % 2 === Number(rest));
let requests = 0;
const missed: string[] = [];
const unsteady: string[] = [];
const unshown: string[] = [];
await withCopy(files, async (...correct) => {
  for (const [index, fault] of faults.entries()) {
    const { name, property } = fault;
    await withCopy(plant(files, fault), async (app, options) => {
      const count = countRequests(app);
      const { failures: own } = await checkContracts(app, {
        ...{ ...options, ...run },
        properties: [property],
      });
      if (own.length === 0) missed.push(name);
      // A run of all properties costs three times as much, so every tenth fault has one.
      const { failures: all } = index % 10 === 0
        ? await checkContracts(app, { ...options, ...run })
        : { failures: own };
      requests += count();
      const again = all.filter((failure) => failure.property === property);
      const isSteady = all.every(({ replays }) => replays) &&
        requestsOf(own) === requestsOf(again);
      if (!isSteady) unsteady.push(name);
      for (const { test } of all) {
        const isShown = !await passesIn([app, options], test) &&
          await passesIn(correct, test);
        if (!isShown) unshown.push(`${name}: ${test}`);
      }
    });
  }
});
const count = faults.length;
console.log(JSON.stringify({ count, missed, unsteady, unshown, requests }));

/** Counts the requests to a bookshop from now on. */
function countRequests(app: ContractTestCall[0]): () => number {
  const { fetch } = app as TestedApplication;
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
  [app, { as, reset } = {}]: ContractTestCall,
  test: string,
): Promise<boolean> {
  await reset?.();
  return await passes(test, app as TestedApplication, as as never);
}
