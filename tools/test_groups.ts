/**
 * Runs test files in groups, each in a process of its own, whose tests run one after the
 * other. So a process that dies has printed the name of its last test, and the tests of
 * all other processes go on.
 */
import { dirname, join, resolve, toFileUrl } from "@std/path";

/** The largest number of test files of a group. */
const TESTS = 10;

/** The last line of `deno test`; processes that tests start print such lines, too. */
const SUMMARY =
  /^(?:ok|FAILED) \| (\d+) passed.*? \| (\d+) failed.*\s*$(?![^])/m;

/** The output of a process, and how it ended. */
export interface Run {
  readonly success: boolean;
  readonly signal: Deno.Signal | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The result of the tests of one process. */
export interface TestRun {
  readonly passed: number;
  readonly failed: number;
  readonly output: string;
  /** The errors to print; empty if all tests passed. */
  readonly errors: string;
}

/** Files to run in one process. */
export interface TestGroup {
  readonly files: readonly string[];
  /** Further arguments of `deno test`. */
  readonly args: readonly string[];
}

/** How to run groups of files. */
export interface GroupOptions {
  /** The arguments of `deno test` for all groups. */
  readonly args: readonly string[];
  /** A folder for modules that each import the files of a group. */
  readonly folder: string;
  /** How many processes run at a time. */
  readonly atOnce: number;
  /** Gets the output of all processes. */
  readonly onText?: (text: string) => void;
  /** Whether no other group shall start; gets the results so far. */
  readonly isOver?: (runs: readonly TestRun[]) => boolean;
}

/** Runs Deno, and prints which tests take minutes, since they may hang. */
export async function runDeno(
  args: readonly string[],
  onText: (text: string) => void = () => {},
): Promise<Run> {
  const child = new Deno.Command(Deno.execPath(), {
    args: [...args],
    env: { NO_COLOR: "1" },
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const read = async (stream: ReadableStream<Uint8Array<ArrayBuffer>>) => {
    let all = "";
    for await (const text of stream.pipeThrough(new TextDecoderStream())) {
      all += text;
      onText(text);
      for (const [line] of text.matchAll(/^'.+' has been running for .+$/gm)) {
        console.log(line);
      }
    }
    return all;
  };
  const [stdout, stderr] = await Promise.all([
    read(child.stdout),
    read(child.stderr),
  ]);
  const { success, signal } = await child.status;
  return { success, signal, stdout, stderr };
}

/**
 * Groups the tests of each folder. Each file of its own would load zod, `@std` and Bough
 * again: 12 files of `tests/core/request/` take 8.5 CPU seconds, and 4.6 in one process.
 * A file whose first comment says "Alone: it replaces `console`" is a group of its own.
 */
export function groupTests(paths: readonly string[]): TestGroup[] {
  const folders = Map.groupBy(
    paths,
    (path) =>
      /^(?:\/\*\*| \*) Alone: /m.test(Deno.readTextFileSync(path))
        ? path
        : dirname(path),
  );
  return [...folders.values()].flatMap(chunks)
    .map((files) => ({ files, args: [] }));
}

/** Cuts a list into lists of about the same length, for one process each. */
function chunks(paths: readonly string[]): string[][] {
  const size = Math.ceil(paths.length / Math.ceil(paths.length / TESTS));
  const lists: string[][] = [];
  for (let at = 0; at < paths.length; at += size) {
    lists.push(paths.slice(at, at + size));
  }
  return lists;
}

/** Runs groups of files, several at a time, in the given order. */
export async function runGroups(
  groups: readonly TestGroup[],
  options: GroupOptions,
): Promise<TestRun[]> {
  const { atOnce, isOver = () => false } = options;
  const runs: TestRun[] = [];
  const queue = groups.values();
  const runNext = async () => {
    for (const group of queue) {
      if (isOver(runs)) return;
      runs.push(...await runGroup(group, options));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, runNext));
  return runs;
}

/**
 * Runs the files of a group in one process. If it ends without a result, as after a crash,
 * or if no test could start, each file runs again in a process of its own.
 */
async function runGroup(
  { files, args }: TestGroup,
  options: GroupOptions,
): Promise<TestRun[]> {
  const run = await runFiles({ files, args }, options);
  const result = resultOf(run);
  if (files.length === 1 || options.isOver?.([])) {
    return [result ?? lostRun(run, files.join('", "'))];
  }
  if (result && (run.success || result.passed > 0)) return [result];
  const alone: TestRun[] = [];
  for (const file of files) {
    alone.push(...await runGroup({ files: [file], args }, options));
  }
  if (alone.some(({ failed }) => failed > 0)) return alone;
  // A crash counts even if it does not happen again.
  const index = alone.findIndex(({ output }) =>
    output.includes(`\n${lastTestOf(run)} ... `)
  );
  return [...alone, { ...lostRun(run, files[index] ?? "?"), passed: 0 }];
}

/** Runs files in one process; one module imports them. */
async function runFiles(
  { files, args }: TestGroup,
  options: GroupOptions,
): Promise<Run> {
  const all = [...options.args, ...args];
  if (files.length === 1) {
    return runDeno([...all, ...files], options.onText);
  }
  const module = join(options.folder, `${crypto.randomUUID()}_test.ts`);
  const imports = files.map((path) =>
    `import "${toFileUrl(resolve(path))}";\n`
  );
  await Deno.writeTextFile(module, imports.join(""));
  return runDeno([...all, module], options.onText);
}

/** The result that a process has printed at its end, if any. */
function resultOf({ success, stdout, stderr }: Run): TestRun | undefined {
  const [, passed, failed] = SUMMARY.exec(stdout) ?? [];
  // Deno prints "ok" before it finds that it cannot import a module.
  if (passed === undefined || !success && failed === "0") return;
  const errors = success ? "" : stdout.slice(stdout.indexOf("\n ERRORS \n"));
  const output = stdout + stderr;
  return { passed: Number(passed), failed: Number(failed), output, errors };
}

/** The failure of a process that ended without a result. */
function lostRun(run: Run, file: string): TestRun {
  const { signal, stdout, stderr } = run;
  const errors = signal === null
    ? `The tests of "${file}" ended without a result:`
    : `${signal} ended the tests of "${file}" in "${
      lastTestOf(run)
    }"; the tests after it did not run:`;
  return {
    passed: [...stdout.matchAll(/^\S.* \.\.\. ok \(/gm)].length,
    failed: 1,
    output: stdout + stderr,
    errors: `\n${errors}\n${`${stdout}\n${stderr}`.trim().slice(-2_000)}\n`,
  };
}

/** The name of the test that ran last; Deno prints it when the test starts. */
function lastTestOf({ stdout }: Run): string {
  return [...stdout.matchAll(/^(\S.*?) \.\.\./gm)].at(-1)?.[1] ?? "?";
}
