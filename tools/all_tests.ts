/**
 * Runs all tests, doc examples included, and prints the coverage of `src/`; below 95 %
 * of the lines it fails. Arguments go to `deno test`.
 *
 * The tests run in two processes at once, which takes half of the time: those in
 * `APART`, and all others. `--parallel` would not do, since some tests change the
 * current folder of their process.
 */

/** The folders of `tests/` with about half of the tests, by their time. */
const APART = new Set(["cli", "client", "middleware", "openapi", "testing"]);

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

/** Runs a group of tests; its output is kept where another one is being printed. */
async function test(
  coverage: string,
  args: readonly string[],
  { isPrinted }: { readonly isPrinted: boolean },
): Promise<Run> {
  const stream = isPrinted ? "inherit" : "piped";
  const child = new Deno.Command(DENO, {
    args: [
      ...["test", "--permission-set=test", "--clean"],
      ...[`--coverage=${coverage}`, "--coverage-raw-data-only"],
      ...Deno.args,
      ...args,
    ],
    stdout: stream,
    stderr: stream,
  }).spawn();
  if (isPrinted) return { ...await child.status, output: "" };
  const [{ success }, ...outputs] = await Promise.all([
    child.status,
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { success, output: outputs.reverse().join("") };
}

const groups = [
  test("coverage/others", ["--doc", ...ALL.flatMap(withoutApart)], {
    isPrinted: true,
  }),
  test("coverage/apart", inTests(true), { isPrinted: false }),
];
const results = [];
for (const group of groups) {
  const result = await group;
  console.log(result.output);
  results.push(result);
}
if (!results.every(({ success }) => success)) Deno.exit(1);

const { code } = await new Deno.Command(DENO, {
  args: [
    ...["coverage", "--include=/src/", "--threshold=95"],
    ...["coverage/others", "coverage/apart"],
  ],
  stdout: "inherit",
  stderr: "inherit",
}).output();
Deno.exit(code);
