import { isObject, isPlain, isThenable } from "../common/values.ts";
import type { StandardSchemaV1 } from "../types/schema.ts";

/** The declared members of the objects, and items of the arrays, at one place. */
export class Place {
  /** The declared members of an object. */
  readonly names = new Map<string, Place>();
  /**
   * The names that the last object had, in its order, and their places. Most objects
   * have the same order, and comparing a name is faster than looking it up
   * (`deno bench -A tests/instruments/bench/respond_bench.ts`).
   */
  readonly order: string[] = [];
  readonly ordered: Place[] = [];
  /** The other members; `undefined` leaves them out. */
  others: Place | undefined;
  /** Whether a name may be another member; by default, every name may be. */
  isOther: ((name: string) => boolean) | undefined;
  /** The first items of an array. */
  first: readonly Place[] = [];
  /** The other items. */
  items: Place = this;
  /** The parts that together declare the place; they replace the properties above. */
  parts: readonly (Place | Union)[] | undefined;

  /** The declaration of a member; `undefined` leaves the member out. */
  member(name: string): Place | undefined {
    return this.names.get(name) ??
      (this.isOther?.(name) === false ? undefined : this.others);
  }
}

/** Declares nothing: an object is sent as `{}`. */
export const NOTHING = new Place();

/** Declares every member and item. */
export const OPEN: Place = new Place();
OPEN.others = OPEN;

export const KINDS = ["object", "array"] as const;
export type Kind = typeof KINDS[number];

/** A branch of a union. */
export interface Branch {
  readonly place: Place;
  /** The kinds of values that may fit. */
  readonly kinds: readonly Kind[];
  /** The members with constant values, such as `kind: "a"`. */
  readonly tags: readonly {
    readonly name: string;
    readonly constants: ReadonlySet<unknown>;
  }[];
  /** The members that a value needs to fit. */
  readonly required: readonly string[];
  /** The schema of the branch, if its library reports it. */
  readonly parser?: StandardSchemaV1 | undefined;
  /** Whether a JSON value fits the JSON Schema of the branch. */
  readonly fits: (json: unknown) => boolean;
}

/** A union, whose branches are selected for each value. */
export class Union {
  readonly #isCheck: boolean;
  readonly #objects: readonly Branch[];
  readonly #arrays: readonly Branch[];
  #common: Place | undefined;

  constructor(branches: readonly Branch[], isCheck = false) {
    this.#isCheck = isCheck;
    const ofKind = (kind: Kind) =>
      branches.filter(({ kinds }) => kinds.includes(kind));
    this.#objects = ofKind("object");
    this.#arrays = ofKind("array");
  }

  /** Whether each branch declares everything. */
  get isOpen(): boolean {
    return [...this.#objects, ...this.#arrays]
      .every(({ place }) => place === OPEN);
  }

  /**
   * Selects the branch whose constants the value has, or otherwise the first branch that
   * the value fits. If no branch fits, the union declares what all branches have in
   * common. A check combines all branches whose constants the value does not contradict.
   *
   * @param value `undefined` for what all branches declare.
   */
  shapeOf(value: object | undefined): Place {
    if (value === undefined) return this.#shared();
    const branches = Array.isArray(value) ? this.#arrays : this.#objects;
    if (branches.length === 1 && !this.#isCheck) {
      return shapeOf(branches[0]!.place, value);
    }
    const possible = branches.filter(({ tags }) =>
      tags.every((tag) => has(tag, value) !== false)
    );
    if (this.#isCheck) {
      const shapes = possible.map(({ place }) => shapeOf(place, value));
      return shapes.length === 0 ? OPEN : shapes.reduce(both);
    }
    const left = possible.filter(({ required }) =>
      required.every((name) => valueOf(value, name) !== undefined)
    );
    const [only] = left;
    if (left.length === 1 && only!.tags.some((tag) => has(tag, value))) {
      return shapeOf(only!.place, value);
    }
    let json: unknown;
    const jsonOf = () => json ??= JSON.parse(JSON.stringify(value, withNumber));
    const found = left.find((branch) => fits(branch, value, jsonOf));
    return found === undefined ? this.#shared() : shapeOf(found.place, value);
  }

  #shared(): Place {
    if (this.#common !== undefined) return this.#common;
    const common = this.#common = new Place();
    const shapes = (branches: readonly Branch[]) =>
      branches.map(({ place }) => shapeOf(place, undefined));
    const objects = shapes(this.#objects);
    for (const name of objects[0]?.names.keys() ?? []) {
      const named = objects.map(({ names }) => names.get(name));
      if (named.every((each) => each !== undefined)) {
        common.names.set(name, shared(named));
      }
    }
    common.items = shared(shapes(this.#arrays).map(({ items }) => items));
    return common;
  }
}

/** Replaces a `bigint`, which an undeclared member may contain, but JSON cannot. */
function withNumber(_key: string, value: unknown): unknown {
  return typeof value === "bigint" ? Number(value) : value;
}

/** Whether an object has a constant; `undefined` if it lacks the member. */
function has(
  { name, constants }: Branch["tags"][number],
  value: object,
): boolean | undefined {
  const given = valueOf(value, name);
  return given === undefined ? undefined : constants.has(given);
}

function valueOf(value: object, name: string): unknown {
  return (value as Record<string, unknown>)[name];
}

/** Whether a value, or its JSON, fits a branch. */
function fits(
  { parser, fits }: Branch,
  value: object,
  jsonOf: () => unknown,
): boolean {
  if (parser === undefined) return fits(jsonOf());
  // The schema of a date accepts the `Date`; the schema of a string accepts its JSON.
  for (const each of [() => value, jsonOf]) {
    const result = accepts(parser, each);
    if (result === undefined) return fits(jsonOf());
    if (result) return true;
  }
  return false;
}

/** Whether a schema accepts a value; `undefined` if the schema is asynchronous. */
function accepts(
  parser: StandardSchemaV1,
  value: () => unknown,
): boolean | undefined {
  try {
    const result = parser["~standard"].validate(value());
    if (!isThenable(result)) return result.issues === undefined;
    result.then(undefined, () => {});
    return undefined;
  } catch {
    return false;
  }
}

/**
 * Returns the properties of a place for a value. They are `undefined` for what all
 * branches of unions declare.
 */
export function shapeOf(place: Place, value: object | undefined): Place {
  return place.parts === undefined ? place : place.parts
    .map((part) =>
      part instanceof Union ? part.shapeOf(value) : shapeOf(part, value)
    )
    .reduce(both);
}

/** The combined shapes, by their parts, each combined once. */
const combined = new WeakMap<Place, WeakMap<Place, Place>>();

/** A shape that declares what either of two shapes declares. */
function both(one: Place, other: Place): Place {
  const only = eitherOf(one, other);
  if (only !== undefined) return only;
  const pairs = combined.get(one) ?? new WeakMap<Place, Place>();
  combined.set(one, pairs);
  let place = pairs.get(other);
  if (place !== undefined) return place;
  pairs.set(other, place = new Place());
  for (const name of [...one.names.keys(), ...other.names.keys()]) {
    place.names.set(name, joined(one.member(name), other.member(name))!);
  }
  place.others = joined(one.others, other.others);
  const others = [one, other].filter(({ others }) => others !== undefined);
  if (others.length > 0 && others.every(({ isOther }) => isOther)) {
    place.isOther = (name) => others.some(({ isOther }) => isOther!(name));
  }
  const length = Math.max(one.first.length, other.first.length);
  place.first = Array.from(
    { length },
    (_, index) =>
      joined(one.first[index] ?? one.items, other.first[index] ?? other.items)!,
  );
  place.items = joined(one.items, other.items)!;
  return place;
}

/** A place that two places declare together. */
function joined(
  one: Place | undefined,
  other: Place | undefined,
): Place | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  const only = eitherOf(one, other);
  if (only !== undefined) return only;
  const place = new Place();
  place.parts = [one, other];
  return place;
}

/** The place that alone declares what two places declare, if there is one. */
function eitherOf(one: Place, other: Place): Place | undefined {
  if (one === other || one === OPEN || other === NOTHING) return one;
  return other === OPEN || one === NOTHING ? other : undefined;
}

/** A place that declares what several places have in common. */
function shared(places: readonly Place[]): Place {
  const [first = NOTHING, ...rest] = new Set(places);
  if (rest.length === 0) return first;
  const place = new Place();
  place.parts = [
    new Union([first, ...rest].map((each) => ({
      place: each,
      kinds: KINDS,
      tags: [],
      required: [],
      fits: () => false,
    }))),
  ];
  return place;
}

/** A value to send, without undeclared members. */
export interface Declared {
  /** The value itself, unless a member was left out or `toJSON` was called. */
  readonly value: unknown;
  /** Whether a member was left out. */
  readonly isLess: boolean;
}

/** Like {@linkcode declaredMembers}, for a compiled schema. */
export function declaredAt(place: Place, value: unknown): Declared {
  if (typeof value !== "object" || value === null || place === OPEN) {
    return { value, isLess: false };
  }
  isLess = false;
  try {
    return { value: pick(value, place, ""), isLess };
  } catch (error) {
    // Throws a better error for a value that contains itself.
    if (error instanceof RangeError) JSON.stringify(value);
    throw error;
  }
}

/** Whether the current call of {@linkcode declaredMembers} has left out a member. */
let isLess = false;

/** Returns the object itself, or a copy if it changes. */
function pick(value: object, place: Place, key: string | number): unknown {
  const { toJSON } = value as { readonly toJSON?: unknown };
  if (typeof toJSON === "function") {
    if (value instanceof Date) return value;
    const json: unknown = toJSON.call(value, String(key));
    if (typeof json !== "object" || json === null) return value;
    return picked(withoutToJson(json), place);
  }
  return picked(value, place);
}

function picked(value: object, place: Place): object {
  const shape = place.parts === undefined ? place : shapeOf(place, value);
  if (shape === OPEN) return value;
  if (Array.isArray(value)) return pickedItems(value, shape);
  let copy: Record<string, unknown> | undefined;
  const { order, ordered, names } = shape;
  let index = 0;
  for (const key in value) {
    const given = (value as Record<string, unknown>)[key];
    let inner: Place | undefined;
    if (order[index] === key) inner = ordered[index++];
    else {
      inner = shape.member(key);
      if (inner !== undefined && index < names.size) {
        order[index] = key;
        ordered[index++] = inner;
      }
    }
    if (inner === undefined) {
      if (!Object.hasOwn(value, key) || !isSent(given)) continue;
      if (value instanceof String || isRawJson(value)) return value;
      isLess = true;
      // `JSON.stringify` leaves out such a member; a deletion would make the object slow.
      (copy ??= { ...value })[key] = undefined;
    } else if (typeof given === "object" && given !== null && inner !== OPEN) {
      const sent = pick(given, inner, key);
      if (sent === given || !Object.hasOwn(value, key)) continue;
      (copy ??= { ...value })[key] = sent;
    }
  }
  return copy ?? value;
}

function pickedItems(value: readonly unknown[], shape: Place): object {
  const { first, items } = shape;
  let copy: unknown[] | undefined;
  for (let index = 0; index < value.length; index++) {
    const item = value[index];
    if (typeof item !== "object" || item === null) continue;
    const inner = index < first.length ? first[index]! : items;
    if (inner === OPEN) continue;
    const sent = pick(item, inner, index);
    if (sent !== item) (copy ??= [...value])[index] = sent;
  }
  return copy ?? value;
}

/** Copies the result of `toJSON()` if JSON would call `toJSON()` of the result again. */
function withoutToJson(json: object): object {
  if (!("toJSON" in json) || typeof json.toJSON !== "function") return json;
  return Array.isArray(json) ? [...json] : { ...json, toJSON: undefined };
}

/** Whether a value was created by `JSON.rawJSON`, for a large number. */
function isRawJson(value: object): boolean {
  const { isRawJSON } = JSON as { isRawJSON?: (value: object) => boolean };
  return isRawJSON?.(value) ?? false;
}

/** Whether JSON represents a member with this value. */
function isSent(value: unknown): boolean {
  if (typeof value === "function") return "toJSON" in value;
  return value !== undefined && typeof value !== "symbol";
}

/** A member of an object. */
export interface Member {
  readonly holder: Record<string, unknown>;
  readonly key: string;
  readonly path: readonly PropertyKey[];
}

/** The members of a value that its copy lacks, including members without JSON. */
export function* leftOut(
  value: unknown,
  copy: unknown,
  path: readonly PropertyKey[] = [],
): Generator<Member, void> {
  if (value === copy || typeof value !== "object" || value === null) return;
  const { toJSON } = value as { readonly toJSON?: unknown };
  const sent: unknown = typeof toJSON === "function"
    ? toJSON.call(value, String(path.at(-1) ?? ""))
    : value;
  if (Array.isArray(sent) && Array.isArray(copy)) {
    for (const [index, each] of sent.entries()) {
      yield* leftOut(each, copy[index], [...path, index]);
    }
  } else if (isObject(sent) && isPlain(copy)) {
    for (const [key, each] of Object.entries(sent)) {
      const place = [...path, key];
      const left = Object.hasOwn(copy, key) ? copy[key] : undefined;
      if (left !== undefined) yield* leftOut(each, left, place);
      else if (isSent(each)) yield { holder: sent, key, path: place };
    }
  }
}
