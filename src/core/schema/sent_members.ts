import { getOrCompute } from "../common/values.ts";
import {
  type ArrayShape,
  type ObjectShape,
  OPEN,
  type Shape,
  type Spot,
} from "./shape.ts";
import { typeBit } from "./ways.ts";

/** The depth to which a value is compared with a shape without its JSON. */
const MAX_LEVELS = 32;

const { toJSON, toISOString } = Date.prototype;
const { propertyIsEnumerable } = Object.prototype;

/**
 * Whether JSON of a value certainly has only declared members. A value for which
 * `JSON.stringify` calls another method than that of a date is not certain.
 *
 * @param isBranch Whether the shape is in a union, which a value of another type excludes.
 */
export function isDeclared(
  value: unknown,
  shape: Shape,
  levels = MAX_LEVELS,
  isBranch = false,
): boolean {
  if (typeof value !== "object" || value === null) {
    return value === undefined || isSent(value, shape, isBranch);
  }
  if (shape === OPEN) return true;
  const date = value as Date;
  if (date.toJSON !== undefined) {
    return date.toJSON === toJSON && date.toISOString === toISOString &&
      (!isBranch || shape.accepts(""));
  }
  if (levels === 0) return false;
  const { arrays, objects } = shape;
  if (Array.isArray(value)) {
    return arrays.length === 1
      ? areDeclared(value, arrays[0]!, levels, isBranch)
      // Each branch of each union inside a branch would take exponential time.
      : !isBranch &&
        arrays.some((way) => areDeclared(value, way, levels, true));
  }
  return objects.length === 1
    ? hasDeclared(value as Members, objects[0]!, levels, isBranch)
    : !isBranch && objects.some((way) =>
      // Another branch may exclude one that declares members without their names.
      way.more.length === 0 && hasDeclared(value as Members, way, levels, true)
    );
}

type Members = Record<string, unknown>;

/** Whether a value that is not an object has JSON, in a branch one that may be there. */
function isSent(value: unknown, shape: Shape, isBranch: boolean): boolean {
  const type = typeof value;
  if (!isBranch) return type !== "function" && type !== "bigint";
  // JSON writes `null` for a number that is not finite.
  const isNull = type === "number" && !Number.isFinite(value);
  return shape.accepts(isNull ? null : value);
}

function hasDeclared(
  value: Members,
  way: ObjectShape,
  levels: number,
  isBranch: boolean,
): boolean {
  let index = -1;
  for (const key in value) {
    index = way.indexOf(key, index + 1);
    const inner = way.at(index, key);
    if (inner === undefined || inner.types === 0) return false;
    const given = value[key];
    if (typeof given === "string" || typeof given === "number") {
      if (!isBranch || isSent(given, inner, true)) continue;
      return false;
    }
    // A getter may return another object for `JSON.stringify`.
    const isSame = value[key] === given;
    if (!isSame || !isDeclared(given, inner, levels - 1, isBranch)) {
      return false;
    }
  }
  // JSON has only members that are enumerable and not inherited.
  return !isBranch ||
    way.tags.every((name) =>
      propertyIsEnumerable.call(value, name) && value[name] !== undefined
    );
}

function areDeclared(
  list: readonly unknown[],
  { first, items }: ArrayShape,
  levels: number,
  isBranch: boolean,
): boolean {
  for (let index = 0; index < list.length; index++) {
    // JSON writes `null` for an item that it does not represent.
    const item = list[index] ?? null;
    const isText = typeof item === "string" || typeof item === "number";
    if (isText && !isBranch) continue;
    const shape = index < first.length ? first[index]! : items;
    if (!isDeclared(item, shape, levels - 1, isBranch)) return false;
  }
  return true;
}

/** A member of a JSON value. */
export interface Member {
  readonly holder: Members;
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
 * The JSON of a value. If it has none, as a row with a `bigint`, then the JSON of its
 * declared members, and one that is left out.
 */
export function jsonOf(
  value: unknown,
  shape: Shape,
): { readonly json: string | undefined; readonly omitted?: Member } {
  try {
    return { json: JSON.stringify(value) };
  } catch {
    let omitted: Member | undefined;
    const inside = new Map<unknown, readonly [Member, DeclarationOf]>();
    // `JSON.stringify` passes what it reads.
    const json = JSON.stringify(value, function (key, given) {
      const [above, declarationOf] = inside.get(this) ?? [];
      const member = { holder: this, key, above };
      const spot = declarationOf === undefined
        ? shape.spot
        : declarationOf(key);
      if (spot === undefined) {
        omitted ??= member;
        return undefined;
      }
      if (typeof given === "object" && given !== null) {
        inside.set(given, [member, declarationsIn(given, spot)]);
      }
      return given;
    });
    return { json, ...(omitted && { omitted }) };
  }
}

/** Finds the members of a JSON value that are undeclared, in its order. */
export function undeclaredIn(value: unknown, shape: Shape): Member[] {
  const found: Member[] = [];
  const root = { holder: { "": value }, key: "" };
  // A list instead of recursion, so that no value overflows the stack.
  const rest: [Member, Spot | undefined][] = [[root, shape.spot]];
  for (let next; (next = rest.pop()) !== undefined;) {
    const [above, spot] = next;
    if (spot === undefined) {
      found.push(above);
      continue;
    }
    const holder = above.holder[above.key];
    if (typeof holder !== "object" || holder === null) continue;
    if (!spot.isCommon && spot.shapes.includes(OPEN)) continue;
    const declarationOf = declarationsIn(holder, spot);
    for (const key of Object.keys(holder).reverse()) {
      const inner = declarationOf(key);
      if (inner === undefined || typeof (holder as Members)[key] === "object") {
        rest.push([{ holder: holder as Members, key, above }, inner]);
      }
    }
  }
  return found;
}

/** Finds the declarations of a member, if there are any. */
type DeclarationOf = (key: string) => Spot | undefined;

const NOTHING: Spot = { shapes: [], isCommon: true };

/**
 * The declarations of the members of a container: by any of the remaining ways, or if
 * there are none, by the names that all ways have in common. An item stays in its list,
 * even if no schema declares it.
 */
function declarationsIn(
  holder: object,
  { shapes, isCommon }: Spot,
): DeclarationOf {
  const absent = Array.isArray(holder) ? NOTHING : undefined;
  const [first] = shapes;
  const ways = isCommon
    ? []
    : shapes.length === 1
    ? remaining(first!, holder)
    : shapes.flatMap((each) => remaining(each, holder));
  const [only] = ways;
  if (ways.length === 1) return (key) => only!.member(key)?.spot ?? absent;
  if (ways.length > 1) {
    return (key) => {
      const found = ways.flatMap((way) => way.member(key) ?? []);
      return found.length === 0 ? absent : spotOf(found, false);
    };
  }
  const all = shapes.map((each) => each.waysOf(holder));
  const common = all.every(({ length }) => length > 0) ? all.flat() : [];
  return (key) => {
    const found = common.flatMap((way) => way.named(key) ?? []);
    return found.length === 0 || found.length < common.length
      ? absent
      : spotOf(found, true);
  };
}

function spotOf(shapes: readonly Shape[], isCommon: boolean): Spot {
  return { shapes: [...new Set(shapes)], isCommon };
}

/** The ways that a JSON value does not contradict; the only way, if there is one. */
function remaining(
  shape: Shape,
  value: object,
): readonly (ObjectShape | ArrayShape)[] {
  const { objects, arrays } = shape;
  const ways = shape.waysOf(value);
  if (ways.length < 2) return ways;
  const fit = new Fit(false);
  if (Array.isArray(value)) {
    return arrays.filter((way) => fit.isArray(way, value, MAX_LEVELS));
  }
  const members = value as Members;
  const fitting = objects.filter((way) =>
    // A record, or a loose object, would also declare the members of another branch.
    (way.more.length === 0 || hasAll(members, way.required)) &&
    fit.isObject(way, members, MAX_LEVELS)
  );
  const named = fitting.filter(({ isUnnamed }) => !isUnnamed);
  return named.some(({ required }) => hasAll(members, required))
    ? named
    : fitting;
}

function hasAll(value: object, names: readonly string[]): boolean {
  return names.every((name) => Object.hasOwn(value, name));
}

/** Whether a JSON value has the required members, types and constants of a shape. */
export function fitsShape(shape: Shape, value: unknown): boolean {
  return new Fit(true).is(shape, value, MAX_LEVELS);
}

/** Compares the types and constants of a value with shapes, each pair once. */
class Fit {
  readonly #known = new Map<object, Map<Shape, boolean>>();
  /** Whether a value needs all required members. Otherwise, it needs the constants. */
  readonly #isComplete: boolean;

  constructor(isComplete: boolean) {
    this.#isComplete = isComplete;
  }

  /** Whether a value contradicts no type and no constant, down to some levels. */
  is(shape: Shape, value: unknown, levels: number): boolean {
    if (shape === OPEN) return true;
    // What JSON omits, or `toJSON()` makes, contradicts nothing.
    if (typeof value !== "object" || value === null) {
      return shape.accepts(value) || typeBit(value) === 0;
    }
    const hasJson = typeof (value as Partial<Date>).toJSON === "function";
    if (levels === 0 || hasJson) return shape.types !== 0;
    const { objects, arrays } = shape;
    const compare = () =>
      Array.isArray(value)
        ? arrays.some((way) => this.isArray(way, value, levels))
        : objects.some((way) => this.isObject(way, value as Members, levels));
    if (objects.length < 2 && arrays.length < 2) return compare();
    const known = getOrCompute(this.#known, value, () => new Map());
    return getOrCompute(known, shape, compare);
  }

  isArray(way: ArrayShape, list: readonly unknown[], levels: number): boolean {
    return list.every((item, index) =>
      this.is(way.member(index), item, levels - 1)
    );
  }

  isObject(
    way: ObjectShape,
    value: Record<string, unknown>,
    levels: number,
  ): boolean {
    if (!hasAll(value, this.#isComplete ? way.required : way.tags)) {
      return false;
    }
    let index = -1;
    for (const name of Object.keys(value)) {
      index = way.indexOf(name, index + 1);
      const shape = way.at(index, name);
      if (shape !== undefined && !this.is(shape, value[name], levels - 1)) {
        return false;
      }
    }
    return true;
  }
}

/**
 * Whether a value of a union of objects may have members of several branches, since no
 * constant distinguishes the branches.
 */
export function mixesBranches(shape: Shape, seen = new Set<Shape>()): boolean {
  if (seen.has(shape)) return false;
  seen.add(shape);
  const { objects, arrays } = shape;
  const inner = [
    ...objects.flatMap(({ shapes, more }) => [
      ...shapes,
      ...more.map(({ shape }) => shape),
    ]),
    ...arrays.flatMap(({ first, items }) => [...first, items]),
  ];
  return objects.some((one, index) =>
    objects.slice(index + 1).some((other) =>
      !haveSameNames(one, other) && !excludes(one, other) &&
      !excludes(other, one)
    )
  ) || inner.some((each) => mixesBranches(each, seen));
}

function haveSameNames(one: ObjectShape, other: ObjectShape): boolean {
  return one.more.length + other.more.length === 0 &&
    one.names.length === other.names.length &&
    one.names.every((name) => other.names.includes(name));
}

/** Whether another branch contradicts a constant that a branch requires. */
function excludes(one: ObjectShape, other: ObjectShape): boolean {
  return one.tags.some((name) => {
    const [tag, shape] = [one.member(name)!, other.member(name)];
    return shape !== undefined &&
      [...tag.constants].every((value) => !shape.accepts(value)) &&
      tag.objects.every((each) =>
        shape.objects.every((object) => excludes(each, object))
      );
  });
}
