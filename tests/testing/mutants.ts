/**
 * Plants mechanical faults in the handlers of the bookshop, one after the other, and
 * prints how many of them `bough test` finds: `deno run -A tests/testing/mutants.ts 40`.
 */
import { changeOf, plant } from "../../tools/mutation/mutant.ts";
import { findFaults } from "../../tools/mutation/operators.ts";
import { bookshopFiles, checkBookshop } from "./planted.ts";

// A mutant may forget to await what fails later, when its folder is gone.
addEventListener("unhandledrejection", (event) => event.preventDefault());

const [wanted = "40"] = Deno.args;
const files = await bookshopFiles();
const mutants = Object.keys(files)
  .filter((file) => /^(?:api|store)\/.*\.ts$/.test(file))
  .flatMap((file) =>
    findFaults(files[file]!).map((fault) => ({ file, ...fault }))
  );
const step = Math.max(1, Math.floor(mutants.length / Number(wanted)));
const chosen = mutants.filter((_, index) => index % step === 0);
let found = 0;
for (const mutant of chosen) {
  const text = plant(files[mutant.file]!, mutant);
  const report = await checkBookshop({ ...files, [mutant.file]: text }, {
    seed: 7,
    runs: 50,
  }).catch(() => undefined);
  // What does not start at all is found, too.
  const isFound = report === undefined || report.failures.length > 0;
  if (isFound) found++;
  else {
    const { before, after } = changeOf(files[mutant.file]!, mutant);
    console.log(`missed in ${mutant.file}: ${before} -> ${after}`);
  }
}
console.log(`${found} of ${chosen.length} mutants found`);
