import { Instrumenter } from "npm:@stryker-mutator/instrumenter@^10.1.1";
import type { Mutant } from "./mutant.ts";
import { type Fault, findFaults } from "./operators.ts";

const silent = () => {};
const logger = {
  debug: silent,
  info: silent,
  warn: silent,
  error: silent,
  isDebugEnabled: () => false,
};
const OPTIONS = { ignorers: [], excludedMutations: [], plugins: null };

/** Creates all mutants of a file, in the order of their positions. */
export async function mutantsOf(file: string, text: string): Promise<Mutant[]> {
  const faults = new Map<string, Mutant>();
  for (
    const fault of [...await strykerFaults(file, text), ...findFaults(text)]
  ) {
    const { start, end, replacement } = fault;
    if (replacement === text.slice(start, end)) continue;
    if (isProse(text.slice(start, end)) && !isTenth(start)) continue;
    const key = `${start} ${end} ${replacement}`;
    if (!faults.has(key)) faults.set(key, { file, ...fault });
  }
  return [...faults.values()].sort((a, b) =>
    a.start - b.start || a.end - b.end ||
    (a.replacement < b.replacement ? -1 : 1)
  );
}

async function strykerFaults(name: string, content: string): Promise<Fault[]> {
  const instrumenter = new Instrumenter(logger as never);
  const { mutants } = await instrumenter.instrument(
    [{ name, content, mutate: true }],
    OPTIONS as never,
  );
  const lines = [0];
  for (const { index } of content.matchAll(/\n/g)) lines.push(index + 1);
  const offset = ({ line, column }: { line: number; column: number }) =>
    lines[line]! + column;
  return mutants.map(({ mutatorName, location, replacement }) => ({
    kind: mutatorName,
    start: offset(location.start),
    end: offset(location.end),
    replacement,
  }));
}

/** Whether a literal is a text for people, such as a message: it has words. */
function isProse(text: string): boolean {
  return /^["'`]/.test(text) && /[a-z,;:"`}] +[a-z"`(<$]/i.test(text);
}

/** Whether to mutate a message: one in ten, and the same ones each time. */
function isTenth(offset: number): boolean {
  return offset % 10 === 0;
}
