/**
 * Plants mechanical faults in the handlers of the bookshop, one after the other, and
 * prints how many of them `bough test` finds: `deno run -A tests/instruments/planted/mutants.ts 40`.
 * A second argument is the index of the only mutant to test.
 */
import { changeOf, plant } from "../../../tools/mutation/mutant.ts";
import { findFaults } from "../../../tools/mutation/operators.ts";
import { bookshopFiles, checkBookshop } from "./bookshop_copy.ts";

/** Milliseconds for each mutant, since a loop without an end blocks its process. */
const TIME = 120_000;

/** The code with which the process of a mutant ends if nothing was found. */
const MISSED = 3;

const [wanted = "40", only] = Deno.args;
const files = await bookshopFiles();
const mutants = Object.keys(files).sort()
  .filter((file) => /^(?:api|store)\/.*\.ts$/.test(file))
  .flatMap((file) =>
    findFaults(files[file]!).map((fault) => ({ file, ...fault }))
  );
type Mutant = typeof mutants[number];

if (only !== undefined) {
  Deno.exit(await isFound(mutants[Number(only)]!) ? 0 : MISSED);
}
const step = Math.max(1, Math.floor(mutants.length / Number(wanted)));
const counts = { found: 0, missed: 0, "without an end": 0 };
for (let index = 0; index < mutants.length; index += step) {
  const outcome = await outcomeOf(index);
  counts[outcome]++;
  if (outcome === "found") continue;
  const mutant = mutants[index]!;
  const { before, after } = changeOf(files[mutant.file]!, mutant);
  console.log(`${outcome} in ${mutant.file}: ${before} -> ${after}`);
}
console.log(counts);

/** Tests a mutant in its own process. */
async function outcomeOf(index: number): Promise<keyof typeof counts> {
  const { code, signal } = await new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "-A",
      "--no-check",
      import.meta.filename!,
      wanted,
      `${index}`,
    ],
    signal: AbortSignal.timeout(TIME),
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).output();
  return signal !== null
    ? "without an end"
    : code === MISSED
    ? "missed"
    : "found";
}

async function isFound(mutant: Mutant): Promise<boolean> {
  // A mutant may forget to await what fails later, when its folder is gone.
  addEventListener("unhandledrejection", (event) => event.preventDefault());
  const text = plant(files[mutant.file]!, mutant);
  const report = await checkBookshop({ ...files, [mutant.file]: text }, {
    seed: 7,
    runs: 50,
  }).catch(() => undefined);
  // What does not start at all is found, too.
  return report === undefined || report.failures.length > 0;
}
