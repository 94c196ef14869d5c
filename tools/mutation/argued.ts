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
  /** The lines of each file, without their indentation. */
  readonly #lines: ReadonlyMap<string, ReadonlySet<string>>;

  /** Arguments about the texts of some files. */
  constructor(all: readonly Argument[], texts: ReadonlyMap<string, string>) {
    this.#all = all;
    this.#lines = new Map(
      [...texts].map(([file, text]) => [file, linesOf(text)]),
    );
  }

  /** Reads `equivalent.json`. */
  static async read(texts: ReadonlyMap<string, string>): Promise<Arguments> {
    return new Arguments(JSON.parse(await Deno.readTextFile(FILE)), texts);
  }

  /** Whether there is an argument for a mutant, even if its line has moved. */
  include(mutant: Mutant, text: string): boolean {
    const { before, after } = changeOf(text, mutant);
    return this.#all.some((one) =>
      one.before === before && one.after.includes(after) &&
      (one.file === mutant.file || !this.#isIn(one.file, before))
    );
  }

  /** The arguments whose line no longer exists. */
  stale(): Argument[] {
    const files = [...this.#lines.keys()];
    return this.#all.filter(({ before }) =>
      !files.some((file) => this.#isIn(file, before))
    );
  }

  #isIn(file: string, line: string): boolean {
    return this.#lines.get(file)?.has(line) ?? false;
  }
}

function linesOf(text: string): Set<string> {
  return new Set(
    text.split("\n").map((line) => line.replaceAll(/\s+/g, " ").trim()),
  );
}
