import { changeOf, type Mutant } from "./mutant.ts";

/** Mutants of one line that no test can find, with the reason. */
export interface Argument {
  /** Their file when this was written, for the reader: it may move. */
  readonly file: string;
  /** Their line, by which they are found again. */
  readonly before: string;
  /** What that line becomes with each of them. */
  readonly after: readonly string[];
  /** Why the difference cannot be observed. */
  readonly reason: string;
}

const FILE = new URL("./equivalent.json", import.meta.url);

/** The mutants that are argued not to be faults. */
export class Arguments {
  readonly #all: readonly Argument[];

  constructor(all: readonly Argument[]) {
    this.#all = all;
  }

  /** Reads `equivalent.json`. */
  static async read(): Promise<Arguments> {
    return new Arguments(JSON.parse(await Deno.readTextFile(FILE)));
  }

  /** Whether there is an argument for a mutant, wherever its line is by now. */
  include(mutant: Mutant, text: string): boolean {
    const { before, after } = changeOf(text, mutant);
    return this.#all.some((one) =>
      one.before === before && one.after.includes(after)
    );
  }

  /** The arguments whose line no longer exists. */
  stale(texts: Iterable<string>): Argument[] {
    const lines = new Set(
      [...texts].flatMap((text) =>
        text.split("\n").map((line) => line.replaceAll(/\s+/g, " ").trim())
      ),
    );
    return this.#all.filter(({ before }) => !lines.has(before));
  }
}
