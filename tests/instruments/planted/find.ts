/**
 * Plants each fault of an application in a copy, runs the contract tests of the copy
 * with 100 runs, and prints which faults they find:
 * `deno run -A find.ts bookshop --seeds=1,2 --fault="a PATCH cannot make a book free"`.
 * A run finds a fault if it fails; without a fault, no run may fail.
 */
import { checkContracts, type ContractReport } from "@bough/framework/testing";
import { parseArgs } from "@std/cli/parse-args";
import {
  APPLICATIONS,
  type ContractTestCall,
  filesOf,
  plant,
  withCopy,
} from "./applications.ts";

const { _: [name = ""], seeds: seedList = "1,2", fault: only } = parseArgs(
  Deno.args,
  { string: ["seeds", "fault"] },
);
const application = APPLICATIONS[name];
if (application === undefined) {
  throw new TypeError(
    `Cannot find faults of "${name}": no application has this name; use ${
      Object.keys(APPLICATIONS).join(" or ")
    }`,
  );
}
const seeds = String(seedList).split(",").map(Number);
const faults = application.faults.filter((fault) =>
  only === undefined || fault.name === only
);
if (faults.length === 0) {
  throw new TypeError(
    `Cannot find the fault "${only}": "${name}" has no such fault; use a name of its list`,
  );
}
const files = await filesOf(application);

for (const seed of seeds) {
  const failures = await withCopy(files, check(seed));
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
    const failures = await withCopy(plant(files, fault), check(seed));
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

/** A check of a copy that returns a line for each failure. */
function check(seed: number) {
  return async (...[app, options]: ContractTestCall): Promise<string[]> => {
    const { runs: _, ...others } = options ?? {};
    return linesOf(await checkContracts(app, { ...others, seed }));
  };
}

function linesOf({ failures, problem }: ContractReport): string[] {
  const lines = failures.map(({ property, operation, expected, seen }) =>
    `${property}: ${operation}: expected ${expected}; seen ${seen}`
      .replaceAll(/\s+/g, " ").slice(0, 200)
  );
  return problem === undefined ? lines : [...lines, `problem: ${problem}`];
}
