/**
 * Plants small faults in `src/`, one at a time, and reports which of them no test
 * finds: `deno task mutate`.
 *
 * The mutators of Stryker, used as a library, and a few of our own (`operators.ts`)
 * create the mutants. From every file some are chosen that type-check
 * (`type_check.ts`), the same ones for the same `--seed`. Each is planted in a copy
 * of the repository. There the test files run that cover its lines (`suite.ts`),
 * the quickest first, until one fails or does not end.
 *
 * It exits with 1 if tests find less than 97 % of the mutants. One that makes no
 * difference is left out, with its argument in `equivalent.json`; an argument about a
 * line that no longer exists ends the run at once.
 *
 * Options: `--count=200`, `--seed=1`, `--jobs=1`, `--all`, `--verbose`;
 * `--file=src/core/request/` for all mutants of the files whose path begins so; `--again`
 * for those that survived the last run; `--budget=10` for a quick look, in which no
 * mutant gets more than ten seconds of tests.
 */
import { parseArgs } from "@std/cli/parse-args";
import { Arguments } from "./argued.ts";
import { mutantsOf } from "./generate.ts";
import { changeOf, type Mutant } from "./mutant.ts";
import { GOAL, report, shareFound } from "./report.ts";
import { select } from "./select.ts";
import { measureSuite } from "./suite.ts";
import { Trials, type Verdict } from "./trial.ts";
import { compiling } from "./type_check.ts";
import { Workspace } from "./workspace.ts";

const SURVIVORS = ".mutation/survivors.json";

const options = parseArgs(Deno.args, {
  boolean: ["all", "again", "verbose"],
  string: ["count", "seed", "jobs", "file", "budget"],
});
const only = options.file as string | undefined;
const count = options.count === undefined
  ? options.all === true || only !== undefined ? Infinity : 200
  : Number(options.count);
const seed = Number(options.seed ?? 1);
const jobs = Number(options.jobs ?? 1);
const budget = Number(options.budget ?? Infinity);

await using copies = new AsyncDisposableStack();
const workspaces: Workspace[] = [];
for (let job = 0; job < jobs; job++) {
  workspaces.push(copies.use(await Workspace.create()));
}
const workspace = workspaces[0]!;
const texts = new Map<string, string>();
for (const file of workspace.files) {
  if (!/^src\/.*\.ts$/.test(file)) continue;
  texts.set(file, await workspace.read(file));
}

const argued = await Arguments.read(texts);
const stale = argued.stale();
for (const { file, before } of stale) {
  console.error(`equivalent.json: no line is "${before}" any more (${file})`);
}
if (stale.length > 0) Deno.exit(1);
const suite = await measureSuite(workspace, console.log);
const wanted = await choose();
const mutants = wanted.filter((mutant) =>
  !argued.include(mutant, texts.get(mutant.file)!)
);

const trials = new Trials(suite, texts, budget);
const verdicts: Verdict[] = [];
const queue = mutants.values();
await keepSurvivors();
await Promise.all(workspaces.map(async (workspace) => {
  for (const mutant of queue) {
    const verdict = await trials.try(mutant, workspace);
    verdicts.push(verdict);
    if (verdict.foundBy === undefined) await keepSurvivors();
    if (options.verbose === true) console.log(summary(verdict));
  }
}));
console.log(report({
  verdicts,
  argued: wanted.length - mutants.length,
  texts,
}));
if (shareFound(verdicts) < GOAL) Deno.exitCode = 1;

async function choose(): Promise<Mutant[]> {
  const all: Mutant[] = [];
  for (const [file, text] of texts) {
    if (only !== undefined && !file.startsWith(only)) continue;
    all.push(...await mutantsOf(file, text));
  }
  if (options.again === true) {
    const last: readonly Mutant[] = JSON.parse(
      await Deno.readTextFile(SURVIVORS),
    );
    const names = new Set(last.map((mutant) => JSON.stringify(mutant)));
    return all.filter((mutant) => names.has(JSON.stringify(mutant)));
  }
  return await select(all, {
    count,
    seed,
    compiling: (some) => compiling(some, workspace, texts),
  });
}

/** Writes down the survivors so far, for `--again`. */
async function keepSurvivors(): Promise<void> {
  const survivors = verdicts.filter(({ foundBy }) => foundBy === undefined);
  await Deno.writeTextFile(
    SURVIVORS,
    JSON.stringify(survivors.map(({ mutant }) => mutant)),
  );
}

function summary({ mutant, foundBy }: Verdict): string {
  const { line, before, after } = changeOf(texts.get(mutant.file)!, mutant);
  return `${
    foundBy ?? "SURVIVED"
  }: ${mutant.file}:${line}: ${before} => ${after}`;
}
