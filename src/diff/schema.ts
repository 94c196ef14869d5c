import { isObject } from "../common/values.ts";
import { flatten } from "../openapi/flat_schema.ts";
import type { OpenApiDocument } from "../openapi/types.ts";
import { canonical, canonicalData } from "./canonical.ts";
import {
  areDisjoint,
  childrenOf,
  isListed,
  KEYWORDS,
  type Shape,
  shapesOf,
} from "./shapes.ts";
import { type Direction, Validators } from "./validators.ts";
import { examplesOf, outside, valuesNear } from "./values.ts";

/**
 * The clients that a change breaks: `all`, `typed` clients, which are generated from the
 * document, or `lenient` clients, which send more than the document names.
 */
export type Clients = "all" | "typed" | "lenient";

/** A keyword of a schema that excludes values of another schema. */
export interface Narrowing {
  /** The JSON pointer of the part; `*` is any item or member. */
  readonly pointer: string;
  readonly keyword: string;
  /** The value of the keyword in the wider schema. */
  readonly wide: unknown;
  /** The value of the keyword in the narrower schema. */
  readonly narrow: unknown;
  /**
   * Whether values show the difference (`shown`), no value can show it (`stated`), or
   * the keyword is not compared (`unknown`).
   */
  readonly kind: "shown" | "stated" | "unknown";
  readonly clients: Clients;
  /** Values of the part that may show the difference. */
  readonly values: () => readonly unknown[];
  /** Puts a value of the part into a value of the whole schema. */
  readonly wrap: (value: unknown) => unknown;
}

/** A part of the wider schema. */
type Place = Pick<Narrowing, "pointer" | "wrap">;

/** A wider and a narrower schema, or two values of a keyword. */
type Pair = readonly [wide: unknown, narrow: unknown];

/** A reference to a component in a canonical text. */
const REFERENCE = /"\$ref":"#\/components\/schemas\/([^"]*)"/g;

/** The keywords that distinguish the branches of a union. */
const KIND = /^(?:enum|type)$/;

/** The maximum number of parts of one schema to compare. */
const MAX_PAIRS = 10_000;

/** The maximum number of values to try for one difference. */
const MAX_TRIES = 300;

/** The maximum number of values that show one difference. */
const MAX_WITNESSES = 10;

/** Compares schemas of two documents, in one direction. */
export class SchemaComparison {
  /** The validators of the document with the wider schemas. */
  readonly wide: Validators;
  /** The validators of the document with the narrower schemas. */
  readonly narrow: Validators;
  readonly #isRequest: boolean;
  /** The components that differ, and the components that refer to them. */
  readonly #changed = new Set<string>();
  /** The pairs of schemas around the compared pair. */
  readonly #active = new Set<string>();
  /** The pairs of schemas without a difference. */
  readonly #same = new Set<string>();
  #count = 0;

  constructor(
    wide: OpenApiDocument,
    narrow: OpenApiDocument,
    direction: Direction,
  ) {
    this.wide = new Validators(wide);
    this.narrow = new Validators(narrow);
    this.#isRequest = direction === "request";
    const { schemas = {} } = narrow.components;
    for (let size = -1; size < this.#changed.size;) {
      size = this.#changed.size;
      for (
        const [name, schema] of Object.entries(wide.components.schemas ?? {})
      ) {
        if (!this.#isEqual(schema, schemas[name])) this.#changed.add(name);
      }
    }
  }

  /** Values that the wider schema accepts, and the narrower schema refuses. */
  witnesses(
    { keyword, narrow: limit, kind, values, wrap }: Narrowing,
    [wide, narrow]: Pair,
    isSent: (value: unknown) => boolean = () => true,
  ): unknown[] {
    if (kind !== "shown") return [];
    // `allOf` may have merged several patterns.
    const limits = keyword === "pattern" ? [limit].flat() : [limit];
    const isEmpty = Array.isArray(limit) && limit.length === 0;
    const excluding = !isEmpty &&
      { allOf: limits.map((each) => ({ [keyword]: each })) };
    return values().values()
      .filter((value) => this.narrow.accepts(excluding, value) === false)
      .take(MAX_TRIES).map(wrap)
      .filter((value) =>
        isSent(value) && this.wide.accepts(wide, value) &&
        this.narrow.accepts(narrow, value) === false
      ).take(MAX_WITNESSES).toArray();
  }

  /** The keywords of the narrower schema that exclude values of the wider schema. */
  compare(pair: Pair): Narrowing[] {
    this.#count = 0;
    const found = this.#compare(...pair);
    if (found.length > 0 || this.#isEqual(...pair)) return found;
    // Keywords may exclude values together, although none does alone.
    const values = () => this.#examples(pair[0]);
    const all = difference("allOf", pair.map((each) => [each]), { values });
    return this.witnesses(all, pair).length > 0 ? [all] : [];
  }

  #compare(wide: unknown, narrow: unknown): Narrowing[] {
    if (this.#isEqual(wide, narrow)) return [];
    const key = `${canonical(wide)}\n${canonical(narrow)}`;
    if (this.#active.has(key) || this.#same.has(key)) return [];
    if (++this.#count > MAX_PAIRS) {
      return [difference("$ref", [wide, narrow], { kind: "unknown" })];
    }
    this.#active.add(key);
    const found = [...this.#shapes(wide, narrow)];
    this.#active.delete(key);
    // A recursive pair counts as equal only while no outer pair differs.
    if (found.length === 0) this.#same.add(key);
    else this.#same.clear();
    return found;
  }

  #isEqual(wide: unknown, narrow: unknown): boolean {
    const text = canonical(wide);
    return text === canonical(narrow) &&
      !text.matchAll(REFERENCE).some(([, name]) => this.#changed.has(name!));
  }

  #examples(wide: unknown): unknown[] {
    return shapesOf(wide, this.wide.document).flatMap(examplesOf);
  }

  *#shapes(first: unknown, second: unknown): Generator<Narrowing> {
    const wide = shapesOf(first, this.wide.document);
    const narrow = shapesOf(second, this.narrow.document);
    const [before, after] = [wide, narrow]
      .map((shapes) => Map.groupBy(shapes, ({ type }) => type));
    const types = [[...before!.keys()], [...after!.keys()]] as const;
    const gone = wide.filter(({ type }) => !after!.has(type));
    if (gone.length > 0) {
      yield difference("type", types, {
        values: () => gone.flatMap(examplesOf),
      });
    }
    const listed = listedIn(wide.filter(({ type }) => after!.has(type)));
    const { kept = [], lost = [] } = Object.groupBy(listed, (value) => {
      const isKept = this.wide.accepts(first, value) === false ||
        this.narrow.accepts(second, value);
      return isKept ? "kept" : "lost";
    });
    if (lost.length > 0) {
      yield difference("enum", [lost, kept], { values: () => lost });
    }
    for (const [type, options] of after!) {
      yield* this.#branches(before!.get(type) ?? [], options);
    }
  }

  /** Compares the shapes of one type, each with the shape that excludes least. */
  *#branches(
    wide: readonly Shape[],
    narrow: readonly Shape[],
  ): Generator<Narrowing> {
    const branches = wide.filter((each) => !isListed(each));
    const options = narrow.filter((each) => !isListed(each));
    for (const branch of branches) {
      if (options.length === 0) {
        const values = () => valuesNear(branch, branch);
        yield difference("enum", [undefined, listedIn(narrow)], { values });
        continue;
      }
      const similar = options.filter((each) => !areDisjoint([branch], [each]));
      const [best = []] = (similar.length > 0 ? similar : options)
        .map((each) => this.#shape(branch, each).toArray())
        .sort((a, b) => a.length - b.length);
      const isUnion = branches.length + options.length > 2;
      // If a branch is gone, the difference of its `kind` is enough.
      const kinds = best.filter(({ keyword }) => isUnion && KIND.test(keyword));
      yield* similar.length > 0 || kinds.length === 0 ? best : kinds;
    }
  }

  *#shape(wide: Shape, narrow: Shape): Generator<Narrowing> {
    yield* this.#children(wide, narrow);
    const [a, b] = [wide.keywords, narrow.keywords];
    const values = () => valuesNear(wide, narrow);
    for (const keyword of Object.keys({ ...a, ...b })) {
      const pair = [a[keyword], b[keyword]] as const;
      const found = difference(keyword, pair, { values });
      const rule = KEYWORDS[wide.type]?.[keyword];
      if (rule) {
        if (outside(keyword, wide, narrow) === undefined) continue;
        // Some libraries write a format without a pattern, and others with their own.
        const isOwn = keyword === "pattern" && b.format !== undefined &&
          a.pattern === undefined;
        const whole = [{ type: "string", ...a }, b] as const;
        if (!isOwn || this.witnesses(found, whole).length > 0) yield found;
      } else if (keyword === "contentSchema" && !pair.includes(undefined)) {
        // A string that contains JSON, such as the data of an event.
        const place = { pointer: "", wrap: JSON.stringify };
        yield* within(place, this.#compare(...pair));
      } else if (keyword === "propertyNames") {
        const [names = { type: "string" }, others = true] = pair;
        const [value = "x"] = this.#examples(childrenOf(wide).rest);
        const wrap = (name: unknown) => placeIn(wide, `${name}`).wrap(value);
        yield* within({ pointer: "/*", wrap }, this.#compare(names, others));
      } else if (rule !== null) {
        const [first, second] = pair.map((each) => ({ [keyword]: each }));
        if (!this.#isEqual(first, second)) yield { ...found, kind: "unknown" };
      }
    }
  }

  /** Compares the members of objects, or the items of arrays. */
  *#children(wide: Shape, narrow: Shape): Generator<Narrowing> {
    const [a, b] = [childrenOf(wide), childrenOf(narrow)];
    const isSent = this.#isRequest && wide.type === "object";
    for (const name of b.needed.difference(a.needed)) {
      const values = () =>
        examplesOf(wide).filter(isObject)
          .map(({ [name]: _, ...rest }) => rest);
      const { pointer } = placeIn(wide, name);
      yield difference("required", [undefined, [name]], { pointer, values });
    }
    const names = new Set([...a.named.keys(), ...b.named.keys()]);
    for (const name of names) {
      const pair = [
        a.named.has(name) ? a.named.get(name) : a.unnamed,
        b.named.has(name) ? b.named.get(name) : b.rest,
      ] as const;
      const place = placeIn(wide, name);
      if (isSent && !b.named.has(name) && b.rest === true) {
        const stated = { kind: "stated", clients: "typed" } as const;
        yield difference("properties", [name], { ...place, ...stated });
        continue;
      }
      yield* within(place, this.#compare(...pair));
      if (isSent && !b.needed.has(name)) {
        yield* within(place, this.#default(pair));
      }
    }
    const key = wide.type === "array" ? `${names.size}` : "notInTheOldDocument";
    const others = within(
      placeIn(wide, "*", key),
      this.#compare(a.rest, b.rest),
    );
    yield* isSent && a.rest === true
      ? others.map((each) => ({ ...each, clients: "lenient" as const }))
      : others;
  }

  /** Compares the values that an absent member has. */
  #default(pair: Pair): Narrowing[] {
    const [old, now] = [this.wide, this.narrow].map(({ document }, index) =>
      flatten(pair[index], document, new Set())?.schema.default
    );
    return old === undefined || canonicalData(old) === canonicalData(now)
      ? []
      : [difference("default", [old, now], { kind: "stated" })];
  }
}

function difference(
  keyword: string,
  [wide, narrow]: readonly unknown[],
  more: Partial<Narrowing>,
): Narrowing {
  const place = { pointer: "", wrap: (value: unknown) => value };
  const base = { kind: "shown", clients: "all", values: () => [] } as const;
  return { ...place, keyword, wide, narrow, ...base, ...more };
}

/** Differences of a part as differences of the whole. */
function within(
  { pointer, wrap }: Place,
  found: readonly Narrowing[],
): Narrowing[] {
  return found.map((each) => ({
    ...each,
    pointer: pointer + each.pointer,
    wrap: (value) => wrap(each.wrap(value)),
  }));
}

/** The place of a member or an item in an example of a shape. */
function placeIn(shape: Shape, name: string, key: string = name): Place {
  const { type, keywords: { minItems = 0 } } = shape;
  const least = { minItems: Math.max(Number(key) + 1, Number(minItems)) };
  const keywords = { ...shape.keywords, ...(type === "array" && least) };
  return {
    pointer: `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`,
    wrap(value) {
      const [example] = examplesOf({ ...shape, keywords });
      return type === "object"
        ? { ...example as object, [key]: value }
        : Object.assign(Array.isArray(example) ? [...example] : [], {
          [key]: value,
        });
    },
  };
}

function listedIn(shapes: readonly Shape[]): unknown[] {
  return shapes.filter(isListed).map(({ keywords }) => keywords.const);
}
