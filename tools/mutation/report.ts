import { changeOf } from "./mutant.ts";
import type { Verdict } from "./trial.ts";

/** The share of mutants that tests have to find. */
export const GOAL = 0.97;

/** The result of a run. */
export interface Result {
  readonly verdicts: readonly Verdict[];
  /** How many were left out, as argued not to be faults. */
  readonly argued: number;
  /** The text of each file. */
  readonly texts: ReadonlyMap<string, string>;
}

/** The share of the mutants that a test found. */
export function shareFound(verdicts: readonly Verdict[]): number {
  const found = verdicts.filter(({ foundBy }) => foundBy !== undefined);
  return verdicts.length === 0 ? 1 : found.length / verdicts.length;
}

/** The survivors one by one, a table of the files, and the share found. */
export function report({ verdicts, argued, texts }: Result): string {
  const survivors = verdicts.filter(({ foundBy }) => foundBy === undefined)
    .sort((a, b) => a.mutant.file < b.mutant.file ? -1 : 1);
  const files = [...Map.groupBy(verdicts, ({ mutant }) => mutant.file)]
    .sort(([a], [b]) => a < b ? -1 : 1);
  const rows = files.map(([file, all]) => {
    const found = all.filter(({ foundBy }) => foundBy !== undefined).length;
    return row(found, all.length - found, file);
  });
  const found = verdicts.length - survivors.length;
  return [
    ...survivors.map((verdict) => survivor(verdict, texts)),
    "FOUND  SURVIVED  FILE",
    ...rows,
    row(found, survivors.length, "in all"),
    `${(100 * shareFound(verdicts)).toFixed(1)} % found, of ${
      100 * GOAL
    } % wanted; ${argued} more are argued to be no faults`,
  ].join("\n");
}

function row(found: number, survived: number, name: string): string {
  return `${String(found).padStart(5)}  ${
    String(survived).padStart(8)
  }  ${name}`;
}

/** A survivor as a diff of one line. */
function survivor(
  { mutant, tests }: Verdict,
  texts: ReadonlyMap<string, string>,
): string {
  const { line, before, after } = changeOf(texts.get(mutant.file)!, mutant);
  const by = tests === 0 ? "no test file runs it" : `test files: ${tests}`;
  return `${mutant.file}:${line} (${mutant.kind}; ${by})\n- ${before}\n+ ${after}\n`;
}
