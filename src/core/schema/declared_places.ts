import { isObject, isPlain, isThenable } from "../common/values.ts";
import type { StandardSchemaV1 } from "../types/schema.ts";

/** The declared members of the objects, and items of the arrays, at one place. */
export class Place {
  /** The places of the declared members, in the order of the schema. */
  readonly places: Place[] = [];
  /**
   * The names of these members. Most objects have this order, too, and comparing a name
   * is faster than looking it up (`tests/instruments/bench/respond_bench.ts`).
   */
  readonly names: string[] = [];
  readonly #indexes = new Map<string, number>();
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

  declare(name: string, place: Place): void {
    const index = this.indexOf(name) ?? this.names.push(name) - 1;
    this.#indexes.set(name, index);
    this.places[index] = place;
  }

  /** The index of a declared name. */
  indexOf(name: string): number | undefined {
    return this.#indexes.get(name);
  }

  /** The declaration of a member; `undefined` leaves the member out. */
  member(name: string): Place | undefined {
    const index = this.indexOf(name);
    if (index !== undefined) return this.places[index];
    return this.isOther?.(name) === false ? undefined : this.others;
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
    for (const name of objects[0]?.names ?? []) {
      const named = objects.flatMap((each) =>
        each.places[each.indexOf(name) ?? NaN] ?? []
      );
      if (named.length === objects.length) common.declare(name, shared(named));
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
  for (const name of [...one.names, ...other.names]) {
    place.declare(name, joined(one.member(name), other.member(name))!);
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
  /** The value itself, or a copy of what JSON reads of it. */
  readonly value: unknown;
  /** The path of the first member that was left out, if any was. */
  readonly omitted?: readonly PropertyKey[];
}

/** The levels to descend by recursion, so that no value overflows the stack. */
const MAX_RECURSION = 200;

/**
 * Like {@linkcode declaredMembers}, for a compiled schema.
 *
 * @throws {TypeError} If the value contains itself.
 */
export function declaredAt(place: Place, value: unknown): Declared {
  const isWhole = isSimple(value) || place === OPEN ||
    isDeclared(value as object, place, MAX_RECURSION);
  return isWhole ? { value } : new Copy(value).of(place);
}

/**
 * Whether JSON of a value certainly has only declared members. Such values, which most
 * are, need no copy, which takes as long as `JSON.stringify`.
 *
 * @param levels The number of levels to descend.
 */
function isDeclared(value: object, place: Place, levels: number): boolean {
  const { toJSON } = value as Date;
  if (toJSON !== undefined) return isDate(value as Date);
  const shape = place.parts === undefined ? place : shapeOf(place, value);
  if (levels === 0 || shape === NOTHING) return false;
  return Array.isArray(value)
    ? areDeclared(value, shape, levels)
    : areMembersDeclared(value as Record<string, unknown>, shape, levels);
}

function areDeclared(
  list: readonly unknown[],
  { first, items }: Place,
  levels: number,
): boolean {
  for (let index = 0; index < list.length; index++) {
    const item = list[index];
    if (isSimple(item)) continue;
    const place = index < first.length ? first[index]! : items;
    if (place !== OPEN && !isDeclared(item as object, place, levels - 1)) {
      return false;
    }
  }
  return true;
}

function areMembersDeclared(
  value: Record<string, unknown>,
  shape: Place,
  levels: number,
): boolean {
  const { names, places } = shape;
  let index = 0;
  for (const key in value) {
    const given = value[key];
    let place: Place | undefined;
    if (names[index] === key) place = places[index++];
    else {
      place = shape.member(key);
      index = (shape.indexOf(key) ?? index - 1) + 1;
    }
    if (place === undefined) return false;
    if (typeof given === "string" || typeof given === "number") continue;
    const isFit = isSimple(given) || place === OPEN ||
      isDeclared(given as object, place, levels - 1);
    // A getter may return another value for `JSON.stringify`.
    if (!isFit || value[key] !== given) return false;
  }
  return true;
}

const { toJSON, toISOString } = Date.prototype;

/** Whether the JSON of an object is that of a date: a string, or `null`. */
function isDate(value: Date): boolean {
  return value.toJSON === toJSON && value.toISOString === toISOString;
}

/** A step of the path to a member. */
interface Step {
  readonly key: PropertyKey;
  readonly above?: Step | undefined;
}

/**
 * A copy of what `JSON.stringify` reads of a value, made in the same way: each getter
 * and each `toJSON()` is called once (ECMA-262, 25.5.4.2). JSON of the copy therefore
 * lacks what the copy lacks, even if a getter would return another value later.
 */
class Copy {
  readonly #root: unknown;
  /** Fills in the members that are too deep for recursion. */
  readonly #rest: (() => void)[] = [];
  #levels = MAX_RECURSION;
  /** The first member that was left out. */
  #omitted: Step | undefined;

  constructor(root: unknown) {
    this.#root = root;
  }

  /** @throws {TypeError} If the value contains itself. */
  of(place: Place): Declared {
    const value = this.#json(this.#root, place, { key: "" }, []);
    for (const fill of this.#rest) fill();
    const omitted: PropertyKey[] = [];
    for (let step = this.#omitted; step?.above; step = step.above) {
      omitted.unshift(step.key);
    }
    return omitted.length === 0 ? { value } : { value, omitted };
  }

  /**
   * The JSON value of a member.
   *
   * @param holder The copy to which the caller adds the member.
   */
  #json(given: unknown, place: Place, step: Step, holder: object): unknown {
    const { key } = step;
    // JSON would call a member `toJSON` of the copy.
    if (place === OPEN && key !== "toJSON") return given;
    const { toJSON } = given as { readonly toJSON?: unknown };
    const json: unknown = typeof toJSON === "function"
      ? toJSON.call(given, String(key))
      : given;
    if (typeof json !== "object" || json === null) {
      return typeof json === "function" ? undefined : json;
    }
    if (this.#levels > 0) {
      this.#levels--;
      const copy = this.#copy(json, place, step);
      this.#levels++;
      return copy;
    }
    // A value that contains itself has no end, so JSON throws an error.
    if (this.#rest.length === 0) JSON.stringify(this.#root);
    this.#rest.push(() => {
      this.#levels = MAX_RECURSION;
      Reflect.set(holder, key, this.#copy(json, place, step));
    });
    return undefined;
  }

  #copy(json: object, place: Place, step: Step): unknown {
    const shape = place.parts === undefined ? place : shapeOf(place, json);
    if (shape === OPEN || shape === NOTHING && isBox(json)) return json;
    return Array.isArray(json)
      ? this.#items(json, shape, step)
      : this.#members(json as Record<string, unknown>, shape, step);
  }

  #items(
    json: readonly unknown[],
    { first, items }: Place,
    above: Step,
  ): unknown[] {
    const copy: unknown[] = new Array(json.length);
    for (let key = 0; key < copy.length; key++) {
      const given = json[key];
      const place = key < first.length ? first[key]! : items;
      copy[key] = isSimple(given)
        ? given
        : this.#json(given, place, { key, above }, copy);
    }
    return copy;
  }

  #members(
    json: Readonly<Record<string, unknown>>,
    shape: Place,
    above: Step,
  ): unknown {
    // Spreading is fast, and reads each member once.
    const copy = { ...json };
    for (const key in copy) {
      const given = copy[key];
      const place = shape.member(key);
      if (place === undefined) {
        if (isSent(given)) this.#omitted ??= { key, above };
        // A deletion would make the object slow.
        copy[key] = undefined;
      } else if (!isSimple(given)) {
        copy[key] = this.#json(given, place, { key, above }, copy);
      }
    }
    return copy;
  }
}

/** Whether JSON calls no method of a value, and the value has no members. */
function isSimple(value: unknown): boolean {
  return typeof value === "object"
    ? value === null
    : typeof value !== "function" && typeof value !== "bigint";
}

const BOXES = [String, Number, Boolean, BigInt] as const;

/** Whether JSON converts an object to a primitive, such as the result of `JSON.rawJSON`. */
function isBox(value: object): boolean {
  const { isRawJSON } = JSON as { isRawJSON?: (value: object) => boolean };
  if (isRawJSON?.(value)) return true;
  const box = BOXES.find((Box) => value instanceof Box);
  try {
    // Throws for an object that only inherits from a prototype, such as `String.prototype`.
    return box !== undefined &&
      Reflect.apply(box.prototype.valueOf, value, []) !== undefined;
  } catch {
    return false;
  }
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
