import {
  type ArrayShape,
  ObjectShape,
  OPEN,
  remaining,
  type Shape,
} from "./shape.ts";
import { TYPES } from "./ways.ts";

/** The levels that {@linkcode isDeclared} descends, so that no value overflows the stack. */
const MAX_LEVELS = 200;

const { toJSON, toISOString } = Date.prototype;
const [STRING, NUMBER, INTEGER] = [
  TYPES.string!,
  TYPES.number!,
  TYPES.integer!,
];

/**
 * Whether JSON of a value certainly has only declared members, of their types. A value
 * for which `JSON.stringify` calls another method than that of a date is not certain.
 */
export function isDeclared(
  value: unknown,
  shape: Shape,
  levels = MAX_LEVELS,
): boolean {
  if (typeof value !== "object" || value === null) {
    return value === undefined || shape.accepts(value);
  }
  if (shape === OPEN) return true;
  const date = value as Date;
  if (date.toJSON !== undefined) {
    return date.toJSON === toJSON && date.toISOString === toISOString &&
      (shape.free & STRING) !== 0;
  }
  if (levels === 0) return false;
  if (Array.isArray(value)) {
    for (const way of shape.arrays) {
      if (areDeclared(value, way, levels)) return true;
    }
    return false;
  }
  const { objects } = shape;
  if (objects.length === 1) {
    return membersAreDeclared(value as Members, objects[0]!, levels);
  }
  for (const way of objects) {
    // Another branch may exclude one that declares members without their names.
    if (way.more.length > 0) continue;
    if (membersAreDeclared(value as Members, way, levels)) return true;
  }
  return false;
}

type Members = Record<string, unknown>;

function membersAreDeclared(
  value: Members,
  way: ObjectShape,
  levels: number,
): boolean {
  const { names, shapes, indexes, tags } = way;
  // Most objects have the order of their schema, and comparing a name is faster than
  // looking it up (`deno bench -A tests/instruments/bench/respond_bench.ts`).
  let next = 0;
  for (const key in value) {
    let shape: Shape | undefined;
    if (names[next] === key) shape = shapes[next++]!;
    else {
      const index = indexes.get(key);
      if (index === undefined) shape = way.member(key);
      else {
        shape = shapes[index]!;
        next = index + 1;
      }
      if (shape === undefined) return false;
    }
    const given = value[key];
    if (typeof given === "string") {
      if ((shape.free & STRING) !== 0 || shape.constants.has(given)) continue;
      return false;
    }
    if (typeof given === "number") {
      if ((shape.free & NUMBER) === NUMBER && Number.isFinite(given)) continue;
      if ((shape.free & INTEGER) !== 0 && Number.isInteger(given)) continue;
      if (shape.constants.has(given)) continue;
      return false;
    }
    // A getter may return another object for `JSON.stringify`.
    if (value[key] !== given || !isDeclared(given, shape, levels - 1)) {
      return false;
    }
  }
  for (const name of tags) if (value[name] === undefined) return false;
  return true;
}

function areDeclared(
  list: readonly unknown[],
  way: ArrayShape,
  levels: number,
): boolean {
  for (let index = 0; index < list.length; index++) {
    // JSON writes `null` for an item that it does not represent.
    const item = list[index] ?? null;
    if (!isDeclared(item, way.item(index), levels - 1)) return false;
  }
  return true;
}

/** The declarations of one value, which together declare it. */
type Spot = readonly (Shape | Common)[];

/** Declares the names that all of several shapes declare. */
class Common {
  readonly shapes: readonly Shape[];

  constructor(shapes: readonly Shape[]) {
    this.shapes = shapes;
  }
}

/** The ways that declare a container: each of them, or what all of them name. */
interface Chosen {
  readonly ways: readonly (ObjectShape | ArrayShape)[];
  readonly isCommon: boolean;
}

/** Chooses the branches that declare a container. */
function choose(spot: Spot, value: object): readonly Chosen[] {
  const waysOf = ({ objects, arrays }: Shape) =>
    Array.isArray(value) ? arrays : objects;
  return spot.map((each): Chosen => {
    if (each instanceof Common) {
      const groups = each.shapes.map(waysOf);
      const isNamed = groups.every(({ length }) => length > 0);
      return { ways: isNamed ? groups.flat() : [], isCommon: true };
    }
    const ways = remaining(each, value);
    return ways.length > 0
      ? { ways, isCommon: false }
      : { ways: waysOf(each), isCommon: true };
  });
}

/** The declarations of a member; `undefined` if there are none. Items stay in a list. */
function memberOf(
  holder: object,
  key: string,
  all: readonly Chosen[],
): Spot | undefined {
  const found = new Set<Shape | Common>();
  for (const { ways, isCommon } of all) {
    const shapes = ways.map((way) =>
      way instanceof ObjectShape
        ? namedBy(way, key, isCommon)
        : way.item(Number(key))
    );
    const known = shapes.filter((shape) => shape !== undefined);
    if (!isCommon) { for (const shape of known) found.add(shape); }
    else if (known.length === ways.length && known.length > 0) {
      found.add(new Common(known));
    }
  }
  return found.size > 0 || Array.isArray(holder) ? [...found] : undefined;
}

function namedBy(
  way: ObjectShape,
  key: string,
  isCommon: boolean,
): Shape | undefined {
  const isNamed = !isCommon || way.isOpen || way.indexes.has(key);
  return isNamed ? way.member(key) : undefined;
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
 * The JSON of a value. If it has none, as with an undeclared `bigint` or cycle, then the
 * JSON of its declared members, and one that is left out.
 */
export function jsonOf(
  value: unknown,
  shape: Shape,
): { json: string | undefined; omitted?: Member } {
  try {
    return { json: JSON.stringify(value) };
  } catch {
    let omitted: Member | undefined;
    const inside = new Map<unknown, readonly [Member, readonly Chosen[]]>();
    // `JSON.stringify` passes what it reads.
    const json = JSON.stringify(value, function (key, given) {
      const [above, chosen] = inside.get(this) ?? [];
      const member = { holder: this, key, above };
      const spot = chosen === undefined ? [shape] : memberOf(this, key, chosen);
      if (spot === undefined) {
        omitted ??= member;
        return undefined;
      }
      if (typeof given === "object" && given !== null) {
        inside.set(given, [member, choose(spot, given)]);
      }
      return given;
    });
    return { json, ...(omitted && { omitted }) };
  }
}

/** Finds the members of a JSON value that are undeclared. */
export function* undeclaredIn(
  value: unknown,
  shape: Shape,
): Generator<Member, void> {
  const root: Member = { holder: { "": value }, key: "" };
  // A list instead of recursion, so that no value overflows the stack.
  const rest: [Member, Spot | undefined][] = [[root, [shape]]];
  for (let next; (next = rest.pop()) !== undefined;) {
    const [above, spot] = next;
    const value = above.holder[above.key];
    if (spot === undefined) yield above;
    else if (
      typeof value === "object" && value !== null && !spot.includes(OPEN)
    ) {
      const chosen = choose(spot, value);
      const holder = value as Members;
      for (const key of Object.keys(value).reverse()) {
        const inner = memberOf(value, key, chosen);
        if (inner === undefined || typeof holder[key] === "object") {
          rest.push([{ holder, key, above }, inner]);
        }
      }
    }
  }
}
