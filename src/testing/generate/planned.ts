import fc from "fast-check";
import { isObject } from "../../core/common/values.ts";

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
    return this.#count < this.planned.length
      ? new fc.Value(this.planned[this.#count++]!, undefined)
      : this.#random.generate(random, bias);
  }

  override canShrinkWithoutContext(_value: unknown): _value is Value {
    return true;
  }

  /** Random values have a context, with which fast-check shrinks them. */
  override shrink(value: Value, context: unknown): fc.Stream<fc.Value<Value>> {
    return context === undefined
      ? fc.stream(smallerInputs(value) as Generator<Value>)
        .map((each) => new fc.Value(each, undefined))
      : this.#random.shrink(value, context);
  }
}

/** The parts of an input that shrink; a path must still lead to its resource. */
const PARTS = ["query", "headers", "body"];

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
