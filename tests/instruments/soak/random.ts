/** Characters of one to four bytes in UTF-8, some of which URLs escape. */
const LETTERS = [..."abcXYZ019 -_.~/\\%?#&=+@:;,'\"<>äß€日本🌳😀"];

/** Random numbers; the same seed gives the same numbers. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  /** An integer from 0, below a limit (Mulberry32). */
  below(limit: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor(((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32 * limit);
  }

  pick<Value>(values: readonly Value[]): Value {
    return values[this.below(values.length)]!;
  }

  /** A string of at least two characters, which is never a dot segment. */
  text(): string {
    const length = 1 + this.below(20);
    return "x" +
      Array.from({ length }, () => this.pick(LETTERS)).join("");
  }
}
