import { type Mutant, plant } from "./mutant.ts";
import { parseText } from "./operators.ts";
import type { Workspace } from "./workspace.ts";

/** How many are checked in one run of the compiler: its memory is limited. */
const BATCH = 400;

/**
 * Keeps the mutants that type-check: a fault that the compiler refuses would not
 * go unnoticed.
 *
 * Each is written next to its file, as `body.mutant_17.ts`, so that one run of the
 * compiler checks hundreds. To the compiler, a class in such a file is not the one
 * of the original. So the unchanged text is checked in the same way, and must pass.
 */
export async function compiling(
  mutants: readonly Mutant[],
  workspace: Workspace,
  texts: ReadonlyMap<string, string>,
): Promise<Mutant[]> {
  const passed: Mutant[] = [];
  for (let start = 0; start < mutants.length; start += BATCH) {
    const batch = mutants.slice(start, start + BATCH)
      .filter((mutant) => isParsable(plant(texts.get(mutant.file)!, mutant)));
    passed.push(...await compilingOf(batch, workspace, texts));
  }
  return passed;
}

async function compilingOf(
  mutants: readonly Mutant[],
  workspace: Workspace,
  texts: ReadonlyMap<string, string>,
): Promise<Mutant[]> {
  const siblings = new Map<string, string>();
  mutants.forEach((mutant, index) => {
    const text = texts.get(mutant.file)!;
    siblings.set(sibling(mutant.file, String(index)), plant(text, mutant));
    siblings.set(sibling(mutant.file, "none"), text);
  });
  const names = [...siblings.keys()];
  for (const [name, text] of siblings) await workspace.write(name, text);
  const { output } = await workspace.run(["check", "--quiet", ...names]);
  for (const name of names) await workspace.remove(name);

  const refused = new Set(
    [...output.matchAll(/\.mutant_(\w+)\.ts/g)].map(([, name]) => name),
  );
  if (refused.has("none")) {
    throw new Error(`An unchanged file does not type-check:\n${output}`);
  }
  return mutants.filter((_, index) => !refused.has(String(index)));
}

/** Whether a mutant can be parsed; one that cannot would end the run for all. */
function isParsable(text: string): boolean {
  try {
    parseText(text);
    return true;
  } catch {
    return false;
  }
}

function sibling(file: string, name: string): string {
  return file.replace(/\.ts$/, `.mutant_${name}.ts`);
}
