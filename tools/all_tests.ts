/**
 * Runs all tests but the slow ones, doc examples included, and prints the coverage of
 * `src/`; below 95 % of the lines it fails. Arguments go to `deno test`.
 *
 * Each folder of tests has a process of its own, since some tests change the current
 * folder of their process. Types are checked by `deno check`, which the task runs before;
 * it does not know the examples of comments and pages.
 */
import { walk } from "@std/fs/walk";
import { dirname } from "@std/path";

/** Many tests wait, so each core can run more than one. */
const PROCESSES = 2 * navigator.hardwareConcurrency;

/** The folder that takes longest: each of its files has a process. */
const LONGEST = "tests/testing/properties";

/**
 * The folders with documented code. Where `deno test` gets a folder with members of the
 * workspace, such as `examples/`, it leaves out all other files of the folder.
 */
const DOCUMENTED = [
  ...["mod.ts", "src/", "tests/"],
  ...Array.from(Deno.readDirSync("examples"), ({ name }) => `examples/${name}`),
];

const DENO = Deno.execPath();

interface Run {
  readonly success: boolean;
  readonly output: string;
}

/** Runs `deno test`, and prints its output when it has ended. */
async function test(args: readonly string[]): Promise<Run> {
  const child = new Deno.Command(DENO, {
    args: ["test", "--permission-set=test", ...Deno.args, ...args],
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const [{ success }, stderr, stdout] = await Promise.all([
    child.status,
    new Response(child.stderr).text(),
    new Response(child.stdout).text(),
  ]);
  const output = stderr + stdout;
  console.log(output);
  return { success, output };
}

/** One list of files for each process. */
const groups = new Map<string, string[]>();
const skip = [/^(coverage|node_modules|vendor|\.git)(\/|$)/];
for await (
  const { path } of walk(".", { match: [/(?<!_slow)_test\.ts$/], skip })
) {
  const folder = dirname(path);
  const name = folder === LONGEST ? path : folder;
  groups.getOrInsertComputed(name, () => []).push(path);
}
/** Where the processes of all folders write what they cover. */
const coverage: string[] = [];
const tasks = [...groups].sort(([one, files], [other, others]) =>
  // Those that take long come first, so that none runs alone at the end.
  Number(other.startsWith(LONGEST)) - Number(one.startsWith(LONGEST)) ||
  others.length - files.length
).map(([, files], index) => {
  const folder = `coverage/${index}`;
  coverage.push(folder);
  const options = ["--no-check", "--clean", `--coverage=${folder}`];
  return [...options, "--coverage-raw-data-only", ...files];
});
tasks.push(["--doc", "--ignore=**/*_test.ts", ...DOCUMENTED]);

const results: Run[] = [];
const work = async () => {
  for (let task = tasks.shift(); task !== undefined; task = tasks.shift()) {
    results.push(await test(task));
  }
};
await Promise.all(Array.from({ length: PROCESSES }, work));
const failed = results.filter(({ success }) => !success);
for (const { output } of failed) {
  // Last, where a reader who sees only the end of a log finds what failed.
  const errors = output.lastIndexOf(" ERRORS ");
  console.log(errors < 0 ? output.slice(-10_000) : output.slice(errors));
}
if (failed.length > 0) Deno.exit(1);

const { code } = await new Deno.Command(DENO, {
  args: [
    ...["coverage", "--include=/src/", "--threshold=95"],
    ...coverage,
  ],
  stdout: "inherit",
  stderr: "inherit",
}).output();
Deno.exit(code);
