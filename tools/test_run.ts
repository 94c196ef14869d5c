/**
 * Runs tests, and prints little. `deno task test` runs the quick group and the type
 * checker, `--slow` the slow group, and `--pages` the tests of pages. `--changed` runs
 * the tests of a change: of the working tree, or since a commit (`--changed=HEAD~1`).
 * Failures come last. Ctrl+C ends a run, and prints the tests that had not ended.
 *
 * A slow file may name programs of the system that it needs. If one is missing, the run
 * skips the file, says how to install the program, and exits with 2.
 *
 * With `--coverage`, a run fails if the tests in `tests/` cover less than 95 % of the
 * lines of `src/`. The other tests, such as examples in comments, run uncovered, since
 * coverage takes 0.3 s of each file.
 * Paths limit a run to files; other arguments, such as `--filter=upload`, go to `deno test`.
 */
import { parseArgs } from "@std/cli/parse-args";
import { dirname, toFileUrl } from "@std/path";
import { writeExamples } from "./examples.ts";
import { isInstalled } from "./installed.ts";
import { changedSince, readDependencies, relatedTests } from "./related.ts";
import { documentedFiles, quickFiles, slowFiles } from "./test_files.ts";
import {
  groupTests,
  runDeno,
  runGroups,
  type TestGroup,
  type TestRun,
} from "./test_groups.ts";

/** The folder for the files of a run, which git ignores. */
const FOLDER = "coverage";
const TEST = ["test", "-P", "--no-check"];
const THRESHOLD = 95;
/** The folder for the coverage of each process. */
const DATA = `${FOLDER}/data`;
const COVERED = [`--coverage=${DATA}`, "--coverage-raw-data-only"];

/** The folder of the tests of sentences, pages, rules and imports. */
const PAGES = "tests/repository";

/** The slow files whose programs are missing. */
const notRun: string[] = [];

/** Whether the user pressed Ctrl+C, which also ends the running processes. */
let isInterrupted = false;
Deno.addSignalListener("SIGINT", () => isInterrupted = true);

/** Whether the programs that a slow file names after "Needs:" are installed. */
function canRun(path: string): boolean {
  const [, programs] = /^ \* Needs: (.+)$/m.exec(Deno.readTextFileSync(path)) ??
    [];
  const missing = programs?.split(" ").filter((name) => !isInstalled(name));
  // Tests of such programs are ignored on Windows.
  if (!missing?.length || Deno.build.os === "windows") return true;
  const packages = missing.join(" ").replace("postgres", "postgresql");
  notRun.push(`${path}: apt-get install ${packages}`);
  return false;
}

/** Removes the files that a process had just created when a test killed the process. */
function removeEmptyFiles(folder: string): void {
  for (const { name } of Deno.readDirSync(folder)) {
    const path = `${folder}/${name}`;
    if (Deno.statSync(path).size === 0) Deno.removeSync(path);
  }
}

/** Runs a command of Deno that is no test. */
async function check(...args: readonly string[]): Promise<TestRun> {
  const { success, stdout, stderr } = await runDeno(args);
  const output = stdout + stderr;
  const errors = success ? "" : output.slice(-8_000);
  return { passed: 0, failed: 0, output, errors };
}

/** Checks the types of all modules, and of the examples in comments. */
function checkTypes(): Promise<TestRun[]> {
  const examples = [
    "test",
    "-P",
    "--quiet",
    "--doc",
    "--no-run",
    "mod.ts",
    "src/",
  ];
  return Promise.all([check("check", "--quiet"), check(...examples)]);
}

/** Checks which lines the tests have covered. */
function reportCoverage(): Promise<TestRun> {
  removeEmptyFiles(DATA);
  // Packages have folders "src" as well.
  const src = `^${toFileUrl(Deno.cwd())}/src/`;
  const options = [`--include=${src}`, `--threshold=${THRESHOLD}`];
  return check("coverage", ...options, DATA);
}

/** Whether a path is among the given ones, or below one. */
function isGiven(path: string): boolean {
  return paths.length === 0 ||
    paths.some((given) => `${path}/`.startsWith(given.replace(/\/*$/, "/")));
}

/** The group of the examples in comments and pages. */
async function groupExamples(paths: readonly string[]): Promise<TestGroup[]> {
  const files = await writeExamples(paths, folder);
  return files.length === 0 ? [] : [{ files, args: [] }];
}

/** The groups to run, as batches that run one after the other. */
async function batches(): Promise<TestGroup[][]> {
  if (group === "slow") {
    const files = (await slowFiles()).filter(isGiven).filter(canRun);
    return [files.map((file) => ({ files: [file], args: [] }))];
  }
  const tests = (await quickFiles()).filter(isGiven);
  if (group === "pages") {
    return [groupTests(tests.filter((path) => dirname(path) === PAGES))];
  }
  if (group === "changed") {
    const changed = await changedSince(commit);
    const related = relatedTests(changed, await readDependencies(folder))
      .filter(isGiven);
    const isTest = (path: string) => /_(?:test|slow)\.ts$/.test(path);
    const examples = related.filter((path) => !isTest(path));
    return [[
      ...groupTests(related.filter(isTest)),
      ...await groupExamples(examples),
    ]];
  }
  const examples = await groupExamples(
    (await documentedFiles()).filter(isGiven),
  );
  // The last folders wait the longest, so they start first.
  const groups = groupTests(tests.reverse());
  if (!isMeasured) return [[...groups, ...examples]];
  const isCovered = ({ files }: TestGroup) => files[0]!.startsWith("tests/");
  return [
    groups.filter(isCovered).map((group) => ({ ...group, args: COVERED })),
    [...groups.filter((group) => !isCovered(group)), ...examples],
  ];
}

/** The errors of a run in which no test ran, which proves nothing. */
function emptyRun(): string {
  return group === "changed" && paths.length === 0
    ? `No test ran: nothing has changed since "${commit}"`
    : "No test ran: no file or no test has this name";
}

const start = performance.now();
/** Paths, and options of `deno test`. */
const given: string[] = [];
const modes = parseArgs(Deno.args, {
  boolean: ["slow", "pages", "coverage"],
  // The task gives it without a commit, and users may repeat it with one.
  string: ["changed"],
  unknown(arg) {
    given.push(arg);
    return false;
  },
});
const commit = modes.changed ? `${modes.changed}` : "HEAD";
const group = modes.slow
  ? "slow"
  : modes.pages
  ? "pages"
  : modes.changed === undefined
  ? "quick"
  : "changed";
const isMeasured = group === "quick" && modes.coverage;
const paths = given.filter((arg) => !arg.startsWith("-"));
const args = [...TEST, ...given.filter((arg) => arg.startsWith("-"))];

const folder = await Deno.makeTempDir();
const checking = group === "quick" ? checkTypes() : Promise.resolve([]);
let reporting: Promise<TestRun> | undefined;
const tests: TestRun[] = [];
let passed = 0;
for (const groups of await batches()) {
  tests.push(
    ...await runGroups(groups, {
      args,
      folder,
      // Many quick tests wait for a server. Slow ones start processes and loads of their
      // own, but some wait for sockets and timers.
      atOnce: navigator.hardwareConcurrency +
        (group === "slow" ? 1 : navigator.hardwareConcurrency),
      onText: (text) => {
        passed += text.split(" ... ok (").length - 1;
        if (passed > 0 && Deno.stdout.isTerminal()) {
          Deno.stdout.writeSync(new TextEncoder().encode(`\r${passed} passed`));
        }
      },
      // A change first runs the nearest tests, which tell most about a failure.
      isOver: (runs) =>
        isInterrupted ||
        group === "changed" && runs.some(({ errors }) => errors !== ""),
    }),
  );
  // The report mostly reads files, so the other tests run beside it.
  if (isMeasured) reporting ??= reportCoverage();
}
await Deno.remove(folder, { recursive: true });
const runs = [...await checking, ...tests];
if (reporting !== undefined) runs.push(await reporting);

const log = `${FOLDER}/${group}.txt`;
await Deno.mkdir(FOLDER, { recursive: true });
await Deno.writeTextFile(log, runs.map(({ output }) => output).join("\n"));
const errors = runs.map(({ errors }) => errors).filter((text) => text !== "");
const total = { passed: 0, failed: 0 };
for (const { passed, failed } of tests) {
  total.passed += passed;
  total.failed += failed;
}
if (total.passed + total.failed === 0 && notRun.length === 0) {
  errors.push(emptyRun());
}
for (const text of errors) console.log(text);
const seconds = ((performance.now() - start) / 1000).toFixed(0);
const isGreen = errors.length === 0;
console.log(
  `\r${
    isGreen ? "ok" : "FAILED"
  } | ${total.passed} passed | ${total.failed} failed | ${seconds} s
The output of all tests: ${log}`,
);
if (group === "changed") console.log("Types are not checked: deno task check");
if (group === "quick" || group === "changed") {
  const { length } = await slowFiles();
  console.log(`Not run: ${length} slow files; run: deno task test:slow`);
}
for (const line of notRun) console.log(`NOT run: ${line}`);
if (!isGreen) Deno.exit(1);
if (notRun.length > 0) Deno.exit(2);
