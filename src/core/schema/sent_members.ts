import {
  type ArrayShape,
  type Chosen,
  ObjectShape,
  OPEN,
  remaining,
  type Shape,
} from "./shape.ts";

/** The levels that {@linkcode isDeclared} descends, so that no value overflows the stack. */
const MAX_LEVELS = 200;

const { toJSON, toISOString } = Date.prototype;

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
  way = shape.object,
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
  // Each branch of each union inside a branch would take exponential time.
  const isUnion = Array.isArray(value) ? arrays.length > 1 : way === undefined;
  if (isBranch && isUnion) return false;
  if (Array.isArray(value)) {
    return arrays.length === 1
      ? areDeclared(value, arrays[0]!, levels, isBranch)
      : arrays.some((way) => areDeclared(value, way, levels, true));
  }
  if (way === undefined) {
    return objects.some((way) =>
      // Another branch may exclude one that declares members without their names.
      way.more.length === 0 && isDeclared(value, shape, levels, true, way)
    );
  }
  const { names, shapes, tags } = way;
  // Most objects have the order of their schema, and comparing a name is faster than
  // looking it up (`deno bench -A tests/instruments/bench/respond_bench.ts`).
  let next = 0;
  for (const key in value) {
    let inner: Shape | undefined;
    if (names[next] === key) inner = shapes[next++]!;
    else {
      const index = way.indexes.get(key);
      if (index === undefined) inner = way.member(key);
      else {
        inner = shapes[index]!;
        next = index + 1;
      }
      if (inner === undefined) return false;
    }
    const given = (value as Members)[key];
    if (typeof given === "string" || typeof given === "number") {
      if (!isBranch || isSent(given, inner, true)) continue;
      return false;
    }
    // A getter may return another object for `JSON.stringify`.
    const isSame = (value as Members)[key] === given;
    if (!isSame || !isDeclared(given, inner, levels - 1, isBranch)) {
      return false;
    }
  }
  return !isBranch ||
    tags.every((name) => (value as Members)[name] !== undefined);
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

/** The declarations of one value, which together declare it. */
type Spot = readonly (Shape | Common)[];

/** Declares the names that all of several shapes declare. */
class Common {
  readonly shapes: readonly Shape[];

  constructor(shapes: readonly Shape[]) {
    this.shapes = shapes;
  }
}

/** Chooses the branches that declare a container. */
function choose(spot: Spot, value: object): readonly Chosen[] {
  const [only] = spot;
  if (spot.length === 1 && !(only instanceof Common)) {
    const ways = remaining(only!, value);
    if (ways.length === 1) return ways[0]!.chosen;
  }
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
  const [only] = all;
  if (all.length === 1 && !only!.isCommon && only!.ways.length === 1) {
    return declarationIn(only!.ways[0]!, key)?.spot;
  }
  const found = new Set<Shape | Common>();
  for (const { ways, isCommon } of all) {
    const known = ways.flatMap((way) =>
      isCommon && way instanceof ObjectShape && !way.isOpen &&
        !way.indexes.has(key)
        ? []
        : declarationIn(way, key) ?? []
    );
    if (!isCommon) { for (const shape of known) found.add(shape); }
    else if (known.length === ways.length && known.length > 0) {
      found.add(new Common(known));
    }
  }
  return found.size > 0 || Array.isArray(holder) ? [...found] : undefined;
}

function declarationIn(
  way: ObjectShape | ArrayShape,
  key: string,
): Shape | undefined {
  return way instanceof ObjectShape ? way.member(key) : way.item(Number(key));
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
