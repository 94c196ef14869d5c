/** The choices of one value: the best choices, or random ones if it has a seed. */
export class Draw {
  /** The number of values tried so far, which limits the size of the whole value. */
  values = 0;
  /** Which of the best choices to take: an item of a list differs from the others. */
  rank = 0;
  readonly isBest: boolean;
  /** Whether to omit optional members and items. */
  readonly isShort: boolean;
  #state: number;

  constructor(seed?: number, { isShort = false } = {}) {
    this.isBest = seed === undefined;
    this.isShort = isShort;
    this.#state = seed ?? 0;
  }

  /** Returns a number from 0, which is the best choice, to `count - 1`. */
  pick(count: number): number {
    return this.isBest ? this.rank % count : Math.floor(this.#random() * count);
  }

  /** Returns one of the choices. */
  from<Choice>(choices: readonly Choice[]): Choice {
    return choices[this.pick(choices.length)]!;
  }

  /** The generator "mulberry32", which is small, and needs no large state. */
  #random(): number {
    this.#state = this.#state + 0x6d2b79f5 | 0;
    let mixed = Math.imul(this.#state ^ this.#state >>> 15, 1 | this.#state);
    mixed = mixed + Math.imul(mixed ^ mixed >>> 7, 61 | mixed) ^ mixed;
    return ((mixed ^ mixed >>> 14) >>> 0) / 2 ** 32;
  }
}
