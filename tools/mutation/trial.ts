import { dirname } from "@std/path";
import { type Mutant, plant } from "./mutant.ts";
import { coveringTests, type TestFile } from "./suite.ts";
import type { Workspace } from "./workspace.ts";

/** What a trial of a mutant showed. */
export interface Verdict {
  readonly mutant: Mutant;
  /** The test file that failed or did not end; `undefined` where it survived. */
  readonly foundBy: string | undefined;
  /** How many test files run its lines. */
  readonly tests: number;
}

/** Test files that take more seconds often measure time, and fail on a busy machine. */
const SLOW = 2;

/** The milliseconds for a test file that takes some seconds without a mutant. */
function timeLimit(seconds: number): number {
  return 10_000 + 5_000 * seconds;
}

/** What a trial does with a copy of the repository. */
export type TrialSpace = Pick<Workspace, "write" | "test">;

/** Tries mutants, one at a time in each workspace. */
export class Trials {
  readonly #suite: readonly TestFile[];
  readonly #texts: ReadonlyMap<string, string>;
  readonly #budget: number;
  /** How many mutants a test file has found in a file, by the paths of both. */
  readonly #finds = new Map<string, number>();

  /** @param budget How many seconds of tests a mutant gets at most. */
  constructor(
    suite: readonly TestFile[],
    texts: ReadonlyMap<string, string>,
    budget: number,
  ) {
    this.#suite = suite;
    this.#texts = texts;
    this.#budget = budget;
  }

  /** Runs the test files that cover a mutant until one fails. */
  async try(mutant: Mutant, workspace: TrialSpace): Promise<Verdict> {
    const { file } = mutant;
    const text = this.#texts.get(file)!;
    const tests = this.#inOrder(mutant);
    await workspace.write(file, plant(text, mutant));
    let foundBy: string | undefined;
    let spent = 0;
    for (const test of tests) {
      const { path, seconds } = test;
      spent += seconds;
      if (spent > this.#budget && spent > seconds) break;
      if (!await this.#isFound(mutant, test, workspace)) continue;
      foundBy = path;
      const key = `${file} ${path}`;
      this.#finds.set(key, (this.#finds.get(key) ?? 0) + 1);
      break;
    }
    await workspace.write(file, text);
    return { mutant, foundBy, tests: tests.length };
  }

  /**
   * Whether a test file fails by the mutant that is planted. If it takes long, or does
   * not end, a busy machine may be the cause. Then it has to pass without the mutant
   * at this time, and to fail again with it.
   */
  async #isFound(
    mutant: Mutant,
    { path, seconds }: TestFile,
    workspace: TrialSpace,
  ): Promise<boolean> {
    const run = async (expected: number) =>
      (await workspace.test(path, { timeout: timeLimit(expected) })).result;
    const first = await run(seconds);
    if (first === "good") return false;
    if (first === "failed" && seconds <= SLOW) return true;

    const text = this.#texts.get(mutant.file)!;
    await workspace.write(mutant.file, text);
    const start = performance.now();
    const without = await run(10 * seconds);
    const taken = (performance.now() - start) / 1000;
    await workspace.write(mutant.file, plant(text, mutant));
    return without === "good" &&
      await run(Math.max(seconds, taken)) !== "good";
  }

  /**
   * Puts first what is likely to find the mutant soon: quick test files, those that
   * found others in the same file, and those in the folder that mirrors its folder.
   */
  #inOrder({ file, start, end }: Mutant): TestFile[] {
    const text = this.#texts.get(file)!;
    const line = (offset: number) => text.slice(0, offset).split("\n").length;
    const mirror = dirname(file).replace(/^src/, "tests");
    const cost = ({ path, seconds }: TestFile) =>
      seconds / (1 + (this.#finds.get(`${file} ${path}`) ?? 0)) /
      (dirname(path) === mirror ? 10 : 1);
    return coveringTests(this.#suite, file, [line(start), line(end)])
      .sort((a, b) => cost(a) - cost(b));
  }
}
