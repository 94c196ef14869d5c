import { changeOf, type Mutant } from "./mutant.ts";

/** Mutants of one line that no test can find, and why. */
export interface Argument {
  /** Their file when this was written, for the reader: it may move. */
  readonly file: string;
  /** Their line, by which they are found again. */
  readonly before: string;
  /** What each of them makes of that line. */
  readonly after: readonly string[];
  /** Why nobody could see the difference. */
  readonly reason: string;
}

const FILE = new URL("./equivalent.json", import.meta.url);

/** The mutants that are argued to be no faults. */
export class Arguments {
  readonly #all: readonly Argument[];

  constructor(all: readonly Argument[]) {
    this.#all = all;
  }

  /** Reads `equivalent.json`. */
  static async read(): Promise<Arguments> {
    return new Arguments(JSON.parse(await Deno.readTextFile(FILE)));
  }

  /** Whether a mutant of a text is argued away, wherever it stands by now. */
  include(mutant: Mutant, text: string): boolean {
    const { before, after } = changeOf(text, mutant);
    return this.#all.some((one) =>
      one.before === before && one.after.includes(after)
    );
  }

  /** Those whose line is nowhere any more. */
  stale(texts: Iterable<string>): Argument[] {
    const lines = new Set(
      [...texts].flatMap((text) =>
        text.split("\n").map((line) => line.replaceAll(/\s+/g, " ").trim())
      ),
    );
    return this.#all.filter(({ before }) => !lines.has(before));
  }
}
