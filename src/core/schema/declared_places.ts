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
    // A branch that declares everything, such as `z.instanceof(URL)`, would take all values.
    const ofKind = (kind: Kind) =>
      branches.filter(({ kinds }) => kinds.includes(kind))
        .sort((a, b) => Number(a.place === OPEN) - Number(b.place === OPEN));
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
   * the JSON fits. If no branch fits, the union declares what all branches have in
   * common. A check combines all branches whose constants the value does not contradict.
   *
   * @param value `undefined` for what all branches declare.
   * @param isJson Whether the value is JSON. Otherwise, the union declares no more than
   * for the JSON of the value.
   */
  shapeOf(value: object | undefined, isJson: boolean): Place {
    if (value === undefined) return this.#shared();
    const branches = Array.isArray(value) ? this.#arrays : this.#objects;
    if (branches.length === 1 && !this.#isCheck) {
      return shapeOf(branches[0]!.place, value, isJson);
    }
    const possible = branches.filter(({ tags }) =>
      tags.every((tag) => has(tag, value) !== false)
    );
    if (this.#isCheck) {
      const shapes = possible.map(({ place }) => shapeOf(place, value, isJson));
      return shapes.length === 0 ? OPEN : shapes.reduce(both);
    }
    const left = possible.filter(({ required }) =>
      required.every((name) => valueOf(value, name) !== undefined)
    );
    const [only] = left;
    const isCertain = left.length === 1 &&
      only!.tags.some((tag) => has(tag, value));
    const found = isCertain
      ? only
      : isJson
      ? left.find(({ fits }) => fits(value))
      : undefined;
    return found === undefined
      ? this.#shared()
      : shapeOf(found.place, value, isJson);
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
    common.items = shared(
      shapes(this.#arrays).flatMap(({ first, items }) => [...first, items]),
    );
    return common;
  }
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

/**
 * Returns the properties of a place for a value. They are `undefined` for what all
 * branches of unions declare.
 */
function shapeOf(
  place: Place,
  value: object | undefined,
  isJson = true,
): Place {
  return place.parts === undefined ? place : place.parts
    .map((part) =>
      part instanceof Union
        ? part.shapeOf(value, isJson)
        : shapeOf(part, value, isJson)
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

/** The levels that {@linkcode isDeclared} descends, so that no value overflows the stack. */
const MAX_LEVELS = 200;

const { toJSON, toISOString } = Date.prototype;

/**
 * Whether JSON of a value certainly has only declared members. A value for which
 * `JSON.stringify` calls another method than that of a date is not certain.
 */
export function isDeclared(
  value: unknown,
  place: Place,
  levels = MAX_LEVELS,
): boolean {
  if (typeof value !== "object" || value === null) {
    return typeof value !== "function" && typeof value !== "bigint";
  }
  if (place === OPEN) return true;
  const date = value as Date;
  if (date.toJSON !== undefined) {
    return date.toJSON === toJSON && date.toISOString === toISOString;
  }
  if (levels === 0) return false;
  const shape = place.parts === undefined
    ? place
    : shapeOf(place, value, false);
  if (Array.isArray(value)) return areDeclared(value, shape, levels);
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
    if (inner === undefined) return false;
    if (typeof given === "string" || typeof given === "number") continue;
    // A getter may return another object for `JSON.stringify`.
    const isSame = (value as Record<string, unknown>)[key] === given;
    if (!isSame || !isDeclared(given, inner, levels - 1)) return false;
  }
  return true;
}

function areDeclared(
  list: readonly unknown[],
  { first, items }: Place,
  levels: number,
): boolean {
  for (let index = 0; index < list.length; index++) {
    const item = list[index];
    if (typeof item === "string" || typeof item === "number") continue;
    const place = index < first.length ? first[index]! : items;
    if (!isDeclared(item, place, levels - 1)) return false;
  }
  return true;
}

/** The place of a member or an item; `undefined` if it is undeclared. */
function memberOf(
  holder: unknown,
  shape: Place,
  key: string,
): Place | undefined {
  return Array.isArray(holder)
    ? shape.first[Number(key)] ?? shape.items
    : shape.member(key);
}

/** A member of a JSON value. */
export interface Member {
  readonly holder: Record<string, unknown>;
  readonly key: string;
  /** The member that contains `holder`. */
  readonly above?: Member | undefined;
}

/** The path of a member, without the root. */
export function pathOf(member: Member): PropertyKey[] {
  const path: PropertyKey[] = [];
  for (let each = member; each.above !== undefined; each = each.above) {
    path.push(Array.isArray(each.holder) ? Number(each.key) : each.key);
  }
  return path.reverse();
}

/**
 * The JSON of a value. If it has none, as with an undeclared `bigint` or cycle, then the
 * JSON of its declared members, and one that is left out.
 */
export function jsonOf(
  value: unknown,
  place: Place,
): { json: string | undefined; omitted?: Member } {
  try {
    return { json: JSON.stringify(value) };
  } catch {
    let omitted: Member | undefined;
    const inside = new Map<unknown, readonly [Member, Place]>();
    // `JSON.stringify` passes what it reads.
    const json = JSON.stringify(value, function (key, given) {
      const [above, shape] = inside.get(this) ?? [];
      const member = { holder: this, key, above };
      const inner = shape === undefined ? place : memberOf(this, shape, key);
      if (inner === undefined) {
        omitted ??= member;
        return undefined;
      }
      if (typeof given === "object" && given !== null) {
        inside.set(given, [member, shapeOf(inner, given, false)]);
      }
      return given;
    });
    return { json, ...(omitted && { omitted }) };
  }
}

/** Finds the members of a JSON value that are undeclared. */
export function* undeclaredIn(
  value: unknown,
  place: Place,
): Generator<Member, void> {
  const root: Member = { holder: { "": value }, key: "" };
  // A list instead of recursion, so that no value overflows the stack.
  const rest: [Member, Place | undefined][] = [[root, place]];
  for (let next; (next = rest.pop()) !== undefined;) {
    const [above, place] = next;
    const value = above.holder[above.key];
    if (place === undefined) yield above;
    else if (typeof value === "object" && value !== null && place !== OPEN) {
      const shape = shapeOf(place, value);
      const holder = value as Record<string, unknown>;
      for (const key of Object.keys(value).reverse()) {
        const inner = memberOf(value, shape, key);
        if (inner === undefined || typeof holder[key] === "object") {
          rest.push([{ holder, key, above }, inner]);
        }
      }
    }
  }
}
