/** The choices of one value: the best choices, or random ones if it has a seed. */
export class Draw {
  readonly isBest: boolean;
  /** Whether to omit optional members and items. */
  readonly isShort: boolean;
  /** How far each choice is from the choice of another value. */
  #rank = 0;
  #state: number;
  /** The number of values so far, which limits the size of the whole value. */
  counter = { values: 0 };

  constructor(seed?: number, { isShort = false } = {}) {
    this.isBest = seed === undefined;
    this.isShort = isShort;
    this.#state = seed ?? 0;
  }

  /** The choices of a value that differs from those of lower ranks. */
  ranked(rank: number): Draw {
    const other = new Draw(this.isBest ? undefined : this.#state, this);
    other.#rank = rank;
    other.counter = this.counter;
    return other;
  }

  /** Returns a number from 0, which is the best choice, to `count - 1`. */
  pick(count: number): number {
    const first = this.isBest ? 0 : Math.floor(this.#random() * count);
    return (first + this.#rank) % count;
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
