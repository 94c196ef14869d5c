/**
 * Runs all tests but the slow ones, doc examples included, and prints the coverage of
 * `src/`; below 95 % of the lines it fails. Arguments go to `deno test`.
 *
 * The tests run in three processes at once, which takes half of the time: those that
 * mostly wait, those in `APART`, and all others. `--parallel` would not do, since some
 * tests change the current folder of their process. Their types are those of
 * `deno check`, which the task runs before; it does not know the examples of comments
 * and pages.
 */

/** The tests of streams and users, which wait for events: a core for all is enough. */
const WAITING = ["tests/testing/properties/"];
/** A folder in --ignore has no effect next to several other paths; a glob has. */
const NOT_WAITING = "**/properties/*_test.ts";

/** The folders of `tests/` with about half of the other tests, by their time. */
const APART = new Set(["cli", "client", "diff", "testing"]);

const ALL = ["mod.ts", "src/", "tests/", "examples/"];

/** What is in `tests/`, apart or not. */
function inTests(isApart: boolean): string[] {
  return [...Deno.readDirSync("tests")]
    .filter(({ name, isDirectory }) =>
      APART.has(name) === isApart &&
      (isDirectory || name.endsWith("_test.ts"))
    )
    .map(({ name }) => `tests/${name}`).sort();
}

const DENO = Deno.execPath();

interface Run {
  readonly success: boolean;
  readonly output: string;
}

/** Reads a stream to its end, and shows it on the way where a terminal is given. */
async function read(
  stream: ReadableStream<Uint8Array>,
  terminal: WritableStream<Uint8Array> | undefined,
): Promise<string> {
  if (terminal === undefined) return await new Response(stream).text();
  const [kept, shown] = stream.tee();
  const [text] = await Promise.all([
    new Response(kept).text(),
    shown.pipeTo(terminal, { preventClose: true }),
  ]);
  return text;
}

/** Runs `deno test`; its output is kept where another one is being printed. */
async function test(
  args: readonly string[],
  { isPrinted }: { readonly isPrinted: boolean },
): Promise<Run> {
  const child = new Deno.Command(DENO, {
    args: ["test", "--permission-set=test", ...Deno.args, ...args],
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const [{ success }, stderr, stdout] = await Promise.all([
    child.status,
    read(child.stderr, isPrinted ? Deno.stderr.writable : undefined),
    read(child.stdout, isPrinted ? Deno.stdout.writable : undefined),
  ]);
  return { success, output: stderr + stdout };
}

/** The arguments for a group of tests. */
function covered(
  name: string,
  paths: readonly string[],
  ...ignored: string[]
): string[] {
  const ignore = ["**/*_slow_test.ts", ...ignored].join(",");
  return [
    ...["--no-check", `--ignore=${ignore}`, "--clean"],
    ...[`--coverage=coverage/${name}`, "--coverage-raw-data-only"],
    ...paths,
  ];
}

const quiet = { isPrinted: false };
const waiting = test(covered("waiting", WAITING), quiet);
const runs = [
  test(covered("others", ["examples/", ...inTests(false)]), {
    isPrinted: true,
  }),
  test(covered("apart", inTests(true), NOT_WAITING), quiet),
  waiting,
  // Later, for there are three processes at once.
  waiting.then(() => test(["--doc", "--ignore=**/*_test.ts", ...ALL], quiet)),
];
const results = await Promise.all(runs);
for (const { output } of results.slice(1)) console.log(output);
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
    ...["coverage/others", "coverage/apart", "coverage/waiting"],
  ],
  stdout: "inherit",
  stderr: "inherit",
}).output();
Deno.exit(code);
