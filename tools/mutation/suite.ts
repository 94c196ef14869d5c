import { join } from "@std/path";
import type { Workspace } from "./workspace.ts";

/** What a run of a test file showed, alone and without a mutant. */
export interface TestFile {
  /** Its path from the root. */
  readonly path: string;
  /** How many seconds it takes, with coverage being measured. */
  readonly seconds: number;
  /** The lines of `src/` that it runs, by file. */
  readonly lines: Readonly<Record<string, readonly number[]>>;
}

const CACHE = ".mutation/suite.json";

interface CachedTestFile extends TestFile {
  /** A digest of what it depends on: its own text, and all files but tests. */
  readonly key: string;
}

/**
 * Runs each test file once to see which lines it covers, also in programs that it
 * starts. Results of earlier runs are taken from `.mutation/`. A test file that
 * fails without a mutant would find every mutant: it is left out and reported.
 */
export async function measureSuite(
  workspace: Workspace,
  print: (line: string) => void,
): Promise<TestFile[]> {
  const { files } = workspace;
  const tests = files.filter((file) => file.endsWith("_test.ts"));
  const others = files.filter((file) =>
    file.endsWith(".ts") && !file.endsWith("_test.ts") &&
    !file.startsWith("tools/mutation/")
  );
  const shared = await digest(await readAll(workspace, others));
  const known = new Map((await readCache()).map((test) => [test.key, test]));
  const suite: CachedTestFile[] = [];
  for (const path of tests) {
    const key = await digest([shared, path, await workspace.read(path)]);
    let test = known.get(key);
    if (test === undefined) {
      // On a busy machine, a test that measures time may fail once.
      const measured = await measure(path, workspace) ??
        await measure(path, workspace);
      if (measured === undefined) {
        print(`LEFT OUT, since it fails without a mutant: ${path}`);
        continue;
      }
      print(`${measured.seconds.toFixed(1).padStart(5)} s  ${path}`);
      test = { key, ...measured };
    }
    suite.push(test);
    known.delete(key);
    // A run that is broken off here keeps what it has not come to.
    await writeCache([...suite, ...known.values()]);
  }
  await writeCache(suite);
  return suite;
}

/** The test files that run at least one of the given lines. */
export function coveringTests(
  suite: readonly TestFile[],
  file: string,
  [first, last]: readonly [number, number],
): TestFile[] {
  return suite.filter(({ lines }) =>
    lines[file]?.some((line) => first <= line && line <= last)
  );
}

async function measure(
  path: string,
  workspace: Workspace,
): Promise<TestFile | undefined> {
  const folder = await Deno.makeTempDir({ prefix: "coverage_" });
  const start = performance.now();
  const { result } = await workspace.test(path, { coverage: folder });
  const seconds = (performance.now() - start) / 1000;
  if (result !== "good") return undefined;
  const report = join(folder, "lcov");
  await workspace.run([
    "coverage",
    "--lcov",
    `--output=${report}`,
    "--include=/src/",
    folder,
  ]);
  const lines = parseLcov(await readOr(report, ""), workspace.root);
  await Deno.remove(folder, { recursive: true });
  return { path, seconds, lines };
}

/**
 * The lines that were run, by the path of their file from `root`.
 *
 * Deno's report counts a line such as `if (a) return b;` as not run if a part of
 * it was not. So all lines of a function that was entered count as run, up to the
 * next function.
 */
export function parseLcov(
  lcov: string,
  root: string,
): Record<string, number[]> {
  const files: Record<string, number[]> = {};
  for (const record of lcov.split("end_of_record")) {
    const file = /^SF:(.*)$/m.exec(record)?.[1];
    if (file === undefined) continue;
    const lines = pairs(record, /^DA:(\d+),(\d+)/gm);
    const entered = new Set(
      pairs(record, /^FNDA:(\d+),(.*)$/gm)
        .filter(([count]) => count !== "0").map(([, name]) => name),
    );
    const starts = pairs(record, /^FN:(\d+),(.*)$/gm);
    const run = new Set<number>();
    for (const [line, count] of lines) {
      const [, inside] = starts.findLast(([start]) => +start <= +line) ?? [];
      if (count !== "0" || entered.has(inside!)) run.add(+line);
    }
    files[file.slice(`${root}/`.length)] = [...run];
  }
  return files;
}

function pairs(text: string, pattern: RegExp): [string, string][] {
  return [...text.matchAll(pattern)].map(([, a, b]) => [a!, b!]);
}

async function readAll(
  workspace: Workspace,
  files: readonly string[],
): Promise<string[]> {
  const texts = await Promise.all(files.map((file) => workspace.read(file)));
  return files.flatMap((file, index) => [file, texts[index]!]);
}

async function digest(texts: readonly string[]): Promise<string> {
  const bytes = new TextEncoder().encode(JSON.stringify(texts));
  return new Uint8Array(await crypto.subtle.digest("SHA-1", bytes)).toHex();
}

async function readCache(): Promise<CachedTestFile[]> {
  return JSON.parse(await readOr(CACHE, "[]"));
}

async function writeCache(suite: readonly CachedTestFile[]): Promise<void> {
  await Deno.mkdir(".mutation", { recursive: true });
  await Deno.writeTextFile(CACHE, JSON.stringify(suite));
}

async function readOr(path: string, otherwise: string): Promise<string> {
  try {
    return await Deno.readTextFile(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return otherwise;
    throw error;
  }
}
