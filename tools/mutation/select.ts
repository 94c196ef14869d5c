import { Random } from "../../tests/instruments/soak/random.ts";
import type { Mutant } from "./mutant.ts";

/** How many mutants of each file to try in order to find one that compiles. */
const TRIES = 6;

/** How to choose among mutants. */
export interface Selection {
  /** How many to choose. */
  readonly count: number;
  /** The same seed chooses the same ones. */
  readonly seed: number;
  /** Keeps those that type-check; called with many at a time. */
  readonly compiling: (mutants: readonly Mutant[]) => Promise<Mutant[]>;
}

/**
 * Chooses mutants that compile: one from each file, and the rest in proportion to
 * how many each file has.
 */
export async function select(
  mutants: readonly Mutant[],
  { count, seed, compiling }: Selection,
): Promise<Mutant[]> {
  const ranked = rank(mutants, new Random(seed));
  const chosen: Mutant[] = [];
  const leading = ranked.filter(({ place }) => place < TRIES);
  const first = (await compiling(leading.map(({ mutant }) => mutant)))
    .filter(({ file }, index, all) =>
      all.findIndex((other) => other.file === file) === index
    );
  chosen.push(...first);
  const rest = ranked.map(({ mutant }) => mutant)
    .filter((mutant) => !first.includes(mutant));
  while (chosen.length < count && rest.length > 0) {
    const wanted = Math.ceil((count - chosen.length) * 1.5);
    chosen.push(...await compiling(rest.splice(0, wanted)));
  }
  return chosen.slice(0, count);
}

interface Ranked {
  readonly mutant: Mutant;
  /** Its position among those of its file. */
  readonly place: number;
  /** The share of those of its file that come before it. */
  readonly share: number;
}

/** Shuffles the mutants of each file, and deals from all files alike. */
function rank(mutants: readonly Mutant[], random: Random): Ranked[] {
  const files = Map.groupBy(mutants, ({ file }) => file);
  return [...files.values()].flatMap((all) => {
    const pile = [...all];
    return all.map((_, place) => {
      const [mutant] = pile.splice(random.below(pile.length), 1);
      return { mutant: mutant!, place, share: (place + 0.5) / all.length };
    });
  }).sort((a, b) => a.share - b.share);
}
