/**
 * Plants each fault of an application in a copy, runs the contract tests of the copy
 * with 100 runs, and prints which faults they find:
 * `deno run -A find.ts bookshop --seeds=1,2 --fault="a PATCH cannot make a book free"`.
 * A run finds a fault if it fails; without a fault, no run may fail.
 */
import { parseArgs } from "@std/cli/parse-args";
import {
  APPLICATIONS,
  checkCopy,
  filesOf,
  plant,
  type PlantedApplication,
} from "./applications.ts";

const { _: [name = ""], seeds: seedList = "1,2", fault: only } = parseArgs(
  Deno.args,
  { string: ["seeds", "fault"] },
);
const application = (APPLICATIONS as Record<string, PlantedApplication>)[name];
if (application === undefined) {
  throw new TypeError(
    `Cannot find faults of "${name}": no application has this name; use ${
      Object.keys(APPLICATIONS).join(" or ")
    }`,
  );
}
const seeds = String(seedList).split(",").map(Number);
const faults = Object.entries(application.faults).flatMap(([kind, faults]) =>
  faults.map((fault) => ({ ...fault, kind }))
).filter((fault) => only === undefined || fault.name === only);
if (faults.length === 0) {
  throw new TypeError(
    `Cannot find the fault "${only}": "${name}" has no such fault; use a name of its list`,
  );
}
const files = await filesOf(application);

for (const seed of seeds) {
  const failures = await check(files, seed);
  if (failures.length > 0) {
    throw new Error(
      `Cannot find faults of "${name}": with seed ${seed}, it fails without one; fix this first:\n${
        failures.join("\n")
      }`,
    );
  }
}
const found = new Map(seeds.map((seed) => [seed, 0]));
for (const fault of faults) {
  for (const seed of seeds) {
    const begin = performance.now();
    const failures = await check(plant(files, fault), seed);
    const seconds = ((performance.now() - begin) / 1e3).toFixed(0);
    const outcome = failures.length > 0 ? "found" : "missed";
    console.log(
      `${outcome} [${fault.kind}] ${fault.name} (seed ${seed}, ${seconds} s)`,
    );
    for (const failure of failures) console.log(`    ${failure}`);
    if (failures.length > 0) found.set(seed, found.get(seed)! + 1);
  }
}
for (const [seed, count] of found) {
  console.log(`seed ${seed}: ${count} of ${faults.length} found`);
}

/** Returns a line for each failure of a copy, with the default number of runs. */
async function check(
  copy: Readonly<Record<string, string>>,
  seed: number,
): Promise<string[]> {
  const { failures, problem } = await checkCopy(copy, { seed, runs: 100 });
  const lines = failures.map(({ property, operation, expected, seen }) =>
    `${property}: ${operation}: expected ${expected}; seen ${seen}`
      .replaceAll(/\s+/g, " ").slice(0, 200)
  );
  return problem === undefined ? lines : [...lines, `problem: ${problem}`];
}
