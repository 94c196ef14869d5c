/**
 * Runs all tests, doc examples included, and prints the coverage of `src/`; below 95 %
 * of the lines it fails. Arguments go to `deno test`.
 *
 * The tests run in two processes at once, which takes half of the time: those in
 * `APART`, and all others. `--parallel` would not do, since some tests change the
 * current folder of their process.
 */

/** The folders of `tests/` with about half of the tests, by their time. */
const APART = new Set(["cli", "client", "openapi", "testing"]);

const ALL = ["mod.ts", "src/", "tests/", "examples/"];

/** The paths of the other tests. */
function withoutApart(path: string): string[] {
  return path === "tests/" ? inTests(false) : [path];
}

/** What is in `tests/`, apart or not; `--ignore` has no effect on several paths. */
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

/** Runs a group of tests; its output is kept where another one is being printed. */
async function test(
  coverage: string,
  args: readonly string[],
  { isPrinted }: { readonly isPrinted: boolean },
): Promise<Run> {
  const child = new Deno.Command(DENO, {
    args: [
      ...["test", "--permission-set=test", "--clean"],
      ...[`--coverage=${coverage}`, "--coverage-raw-data-only"],
      ...Deno.args,
      ...args,
    ],
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

const groups = [
  test("coverage/others", ["--doc", ...ALL.flatMap(withoutApart)], {
    isPrinted: true,
  }),
  test("coverage/apart", inTests(true), { isPrinted: false }),
];
const results = await Promise.all(groups);
console.log(results[1]!.output);
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
    ...["coverage/others", "coverage/apart"],
  ],
  stdout: "inherit",
  stderr: "inherit",
}).output();
Deno.exit(code);
