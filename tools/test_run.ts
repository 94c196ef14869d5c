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
 * lines of `src/`. The other tests, such as doc examples, run uncovered, since coverage
 * takes 0.3 s of each file. The tests in `tests/` run in groups of files.
 * Other arguments go to `deno test`, such as `--filter=upload` or a path.
 */
import { walk } from "@std/fs/walk";
import { dirname, join, resolve, toFileUrl } from "@std/path";
import config from "../deno.json" with { type: "json" };
import { isInstalled } from "./installed.ts";
import { changedSince, relatedTests } from "./related.ts";

/** The folder for the files of a run, which git ignores. */
const FOLDER = "coverage";
const TEST = ["test", "-P", "--no-check", "--parallel"];
const THRESHOLD = 95;
/** The folder for the coverage of each process. */
const DATA = `${FOLDER}/data`;
const COVERED = [`--coverage=${DATA}`, "--clean", "--coverage-raw-data-only"];
/** The largest number of files of a group. */
const GROUP = 10;

interface Run {
  readonly success: boolean;
  readonly output: string;
}

/** The slow files whose programs are missing. */
const notRun: string[] = [];

/** Whether the user pressed Ctrl+C, which also ends the running `deno`. */
let isInterrupted = false;
Deno.addSignalListener("SIGINT", () => isInterrupted = true);

/**
 * Runs Deno, and prints which tests take minutes, since they may hang. On a terminal,
 * shows how many tests have passed so far.
 */
async function deno(...args: readonly string[]): Promise<Run> {
  const child = new Deno.Command(Deno.execPath(), {
    args: [...args],
    // Many tests wait, so each core can run more than one file.
    env: { NO_COLOR: "1", DENO_JOBS: `${2 * navigator.hardwareConcurrency}` },
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  let output = "";
  let passed = 0;
  const read = async (stream: ReadableStream<Uint8Array<ArrayBuffer>>) => {
    for await (const text of stream.pipeThrough(new TextDecoderStream())) {
      output += text;
      passed += text.split(" ... ok (").length - 1;
      for (const [line] of text.matchAll(/^'.+' has been running for .+$/gm)) {
        console.log(line);
      }
      if (passed > 0 && Deno.stdout.isTerminal()) {
        await Deno.stdout.write(new TextEncoder().encode(`\r${passed} passed`));
      }
    }
  };
  await Promise.all([read(child.stdout), read(child.stderr)]);
  const { success, signal } = await child.status;
  // Deno itself may crash, which prints nothing.
  if (signal !== null) output += `\nCannot go on: ${signal} ended deno\n`;
  return { success, output };
}

/** The arguments of the test runs, one after the other. */
async function testRuns(given: readonly string[]): Promise<string[][]> {
  const [, commit] = given.map((arg) => /^--changed(?:=(.+))?$/.exec(arg))
    .find((match) => match !== null) ?? [];
  const rest = given.filter((arg) =>
    !/^--(?:slow|coverage|changed|pages)/.test(arg)
  );
  const isChange = given.some((arg) => arg.startsWith("--changed"));
  if (given.includes("--slow")) {
    return [[...(await slowFiles()).filter(canRun), ...rest]];
  }
  if (given.includes("--pages")) return [["tests/repository/", ...rest]];
  if (!isChange && isMeasured) {
    // With a folder in place of --ignore, Deno skips those beside workspace members.
    const others = ["--doc", `--ignore=${["tests", ...config.test.exclude]}`];
    return [[...COVERED, ...await testGroups(), ...rest], [...others, ...rest]];
  }
  if (!isChange) return [["--doc", ...rest]];
  const changed = await changedSince(commit ?? "HEAD");
  const { files, modules } = await relatedTests(changed);
  return [
    ...files.length > 0 ? [["--doc", ...rest, ...files]] : [],
    ...modules.length > 0
      ? [[...rest, ...modules.map((path) => `--related=${path}`)]]
      : [],
  ];
}

/**
 * Writes modules that each import some test files of a folder in `tests/`, and returns
 * their paths. Each file of its own would load the modules of Bough and of `@std` again,
 * and write their coverage: 0.2 to 0.35 CPU seconds. A file that measures its memory, or
 * replaces `console`, stays alone.
 */
async function testGroups(): Promise<string[]> {
  const files: string[] = [];
  const options = { match: [/_test\.ts$/], includeDirs: false };
  for await (const { path } of walk("tests", options)) files.push(path);
  // The last folders wait the longest, so they start first.
  const folders = Map.groupBy(
    files.sort().reverse(),
    (path) =>
      /memoryUsed\(\)|^ *console\[/m.test(Deno.readTextFileSync(path))
        ? path
        : dirname(path),
  );
  const paths: string[] = [];
  for (const files of folders.values()) {
    for (let at = 0; at < files.length; at += GROUP) {
      const imports = files.slice(at, at + GROUP)
        .map((path) => `import "${toFileUrl(resolve(path))}";\n`);
      const path = join(folder, `${paths.length}_test.ts`);
      await Deno.writeTextFile(path, imports.join(""));
      paths.push(path);
    }
  }
  return paths;
}

/**
 * The files of the slow group, which Deno does not find by their names. Deno starts them in
 * this order: the last folders wait the longest, so they come first.
 */
async function slowFiles(): Promise<string[]> {
  const files: string[] = [];
  const options = { match: [/_slow\.ts$/], includeDirs: false };
  for (const folder of ["tests", "examples"]) {
    for await (const { path } of walk(folder, options)) files.push(path);
  }
  // Without files, Deno would run the quick group instead, and report it as the slow one.
  if (files.length === 0) throw new Error('Found no "_slow.ts" in "tests/"');
  return files.sort().reverse();
}

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

/** The errors at the end of the output of a run that failed. */
function errorsIn(output: string): string {
  const start = Math.max(
    output.lastIndexOf("\n ERRORS \n"),
    output.lastIndexOf("\nSIGINT "),
  );
  return start < 0 ? output.slice(-8_000) : output.slice(start);
}

/** How many tests passed and failed, from the last line of each run. */
function countsOf(runs: readonly Run[]): { passed: number; failed: number } {
  const counts = { passed: 0, failed: 0 };
  for (const { output } of runs) {
    // The last line counts: runs that tests start print such a line, too.
    const [, passed, failed] = [...output.matchAll(
      /^(?:ok|FAILED) \| (\d+) passed.*? \| (\d+) failed/gm,
    )]
      .at(-1) ?? [];
    counts.passed += Number(passed ?? 0);
    counts.failed += Number(failed ?? 0);
  }
  return counts;
}

/** Removes the files that a process had just created when a test killed the process. */
function removeEmptyFiles(folder: string): void {
  for (const { name } of Deno.readDirSync(folder)) {
    const path = `${folder}/${name}`;
    if (Deno.statSync(path).size === 0) Deno.removeSync(path);
  }
}

/** Checks the types of all modules, and of the examples in comments. */
function checkTypes(): Promise<Run[]> {
  const examples = ["test", "-P", "--doc", "--no-run", "mod.ts", "src/"];
  return Promise.all([deno("check"), deno(...examples)]);
}

/** Checks which lines a run has covered, if it was green. */
async function reportCoverage({ success }: Run): Promise<Run[]> {
  if (!success) return [];
  removeEmptyFiles(DATA);
  // Packages have folders "src" as well.
  const src = `^${toFileUrl(Deno.cwd())}/src/`;
  const options = [`--include=${src}`, `--threshold=${THRESHOLD}`];
  return [await deno("coverage", ...options, DATA)];
}

const start = performance.now();
const [first] = Deno.args;
const group = first?.match(/^--(slow|changed|pages)/)?.[1] ?? "quick";
const isMeasured = group === "quick" && Deno.args.includes("--coverage");
let reporting: Promise<Run[]> | undefined;
const checking = group === "quick" ? checkTypes() : Promise.resolve([]);
const folder = await Deno.makeTempDir();
const tests: Run[] = [];
for (const args of await testRuns(Deno.args)) {
  if (isInterrupted) break;
  tests.push(await deno(...TEST, ...args));
  // The report mostly reads files, so the other tests run beside it.
  if (isMeasured) reporting ??= reportCoverage(tests[0]!);
}
await Deno.remove(folder, { recursive: true });
const runs = [...await checking, ...tests, ...await reporting ?? []];

const log = `${FOLDER}/${group}.txt`;
await Deno.mkdir(FOLDER, { recursive: true });
await Deno.writeTextFile(log, runs.map(({ output }) => output).join("\n"));
const failing = runs.filter(({ success }) => !success);
for (const { output } of failing) console.log(errorsIn(output));
const { passed, failed } = countsOf(tests);
const seconds = ((performance.now() - start) / 1000).toFixed(0);
const isGreen = failing.length === 0;
console.log(
  `\r${
    isGreen ? "ok" : "FAILED"
  } | ${passed} passed | ${failed} failed | ${seconds} s
The output of all tests: ${log}`,
);
if (group === "quick" || group === "changed") {
  console.log(
    `Not run: ${
      (await slowFiles()).length
    } slow files; run: deno task test:slow`,
  );
}
for (const line of notRun) console.log(`NOT run: ${line}`);
if (!isGreen) Deno.exit(1);
if (notRun.length > 0) Deno.exit(2);
