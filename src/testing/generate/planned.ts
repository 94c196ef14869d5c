import fc from "fast-check";
import { isObject } from "../../core/common/values.ts";
import { Draw } from "../../shared/values/draw.ts";

/** Makes a value. */
export type Make<Value> = (draw: Draw) => Value;

/** A few random values; each call returns the same values. */
export function samplesOf<Value>(
  make: Make<Value>,
  { count, seed = 1 }: { readonly count: number; readonly seed?: number },
): Value[] {
  return Array.from(
    { length: count },
    (_, index) => make(new Draw(seed * count + index)),
  );
}

/** Random values of a function, of which {@linkcode Planned} knows smaller ones. */
export function drawn<Value>(make: Make<Value>): fc.Arbitrary<Value> {
  // Without a bias, hardly any seed is drawn twice.
  return fc.noBias(fc.nat()).map((seed) => make(new Draw(seed)));
}

/**
 * Planned values in their order, then random values. Each search needs its own
 * instance, since the instance counts the values.
 */
export class Planned<Value> extends fc.Arbitrary<Value> {
  readonly planned: readonly Value[];
  readonly #random: fc.Arbitrary<Value>;
  #count = 0;

  constructor(planned: readonly Value[], random: fc.Arbitrary<Value>) {
    super();
    this.planned = planned;
    this.#random = random;
  }

  /** The planned values, these values, then the random values. */
  followedBy(values: readonly Value[]): Planned<Value> {
    return new Planned([...this.planned, ...values], this.#random);
  }

  override generate(
    random: fc.Random,
    bias: number | undefined,
  ): fc.Value<Value> {
    const value = this.#count < this.planned.length
      ? this.planned[this.#count++]!
      : this.#random.generate(random, bias).value;
    return new fc.Value(value, undefined);
  }

  override canShrinkWithoutContext(_value: unknown): _value is Value {
    return true;
  }

  override shrink(value: Value): fc.Stream<fc.Value<Value>> {
    return fc.stream(smallerInputs(value) as Generator<Value>)
      .map((each) => new fc.Value(each, undefined));
  }
}

/** The parts of an input that shrink; a path must still lead to its resource. */
const PARTS = ["query", "headers", "cookies", "body"];

/** Smaller inputs, or smaller values that are not inputs. */
function* smallerInputs(value: unknown): Generator<unknown> {
  if (!isObject(value) || !Object.hasOwn(value, "wildcard")) {
    return yield* smaller(value);
  }
  for (const part of PARTS) {
    for (const each of smaller(value[part])) yield { ...value, [part]: each };
  }
}

/** Smaller values of the same type, the smallest first. */
export function* smaller(value: unknown): Generator<unknown> {
  if (typeof value === "number") {
    for (let cut = value; Math.abs(cut) >= 1; cut = Math.trunc(cut / 2)) {
      yield value - cut;
    }
  } else if (typeof value === "string") {
    yield* shorter([...value]).map((characters) => characters.join(""));
    // A character that is easily read, if the fault does not depend on it.
    const plain = value.replaceAll(/[^ -~]/gu, "x");
    if (plain !== value) yield plain;
  } else if (Array.isArray(value)) {
    yield* shorter(value);
    for (const [index, item] of value.entries()) {
      for (const each of smaller(item)) yield value.with(index, each);
    }
  } else if (isObject(value) && !(value instanceof File)) {
    for (const [name, member] of Object.entries(value)) {
      const { [name]: _, ...rest } = value;
      yield rest;
      for (const each of smaller(member)) yield { ...value, [name]: each };
    }
  }
}

/** Lists without some of their items, from the start or from the end. */
function* shorter<Item>(items: readonly Item[]): Generator<Item[]> {
  for (let cut = items.length; cut >= 1; cut = Math.trunc(cut / 2)) {
    yield items.slice(0, items.length - cut);
    yield items.slice(cut);
  }
}
