import { isObject } from "../core/common/values.ts";
import { flatten, pointerTo } from "../shared/flat_schema.ts";
import type { JsonSchema, OpenApiDocument } from "../openapi/mod.ts";
import { stringOf } from "../shared/wire.ts";
import {
  canonical,
  canonicalData,
  digestOf,
  withComponents,
} from "./canonical.ts";
import { Memo } from "./memo.ts";
import {
  areDisjoint,
  childrenOf,
  isListed,
  KEYWORDS,
  type Shape,
  splitByTag,
} from "./shapes.ts";
import { type Direction, Validators } from "./validators.ts";
import { examplesOf, outside, valuesNear, valuesOutside } from "./limits.ts";

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

/** A part of the wider schema, and perhaps the clients that it concerns. */
type Place = Pick<Narrowing, "pointer" | "wrap"> & Partial<Narrowing>;

/** A wider and a narrower schema, or two values of a keyword. */
export type Pair = readonly [wide: unknown, narrow: unknown];

/** The keywords that distinguish the branches of a union. */
const KIND = /^(?:enum|type)$/;

const LENIENT = { clients: "lenient" } as const;

/** In place of a keyword, stands for the differences that are not listed. */
export const REST = "";

/** The maximum work for one schema, in characters of compared schemas and values. */
const MAX_WORK = 50_000_000;

/** The work for a comparison or a value, in addition to its characters. */
const STEP = 1_000;

/** The maximum number of differences of one schema to list. */
const MAX_FOUND = 50;

/** The maximum number of values to try for one difference. */
const MAX_TRIES = 300;

/** The maximum number of examples of a schema. */
const MAX_EXAMPLES = 10;

/** Compares schemas of two documents, in one direction. */
export class SchemaComparison {
  /** The validators of the document with the wider schemas. */
  readonly wide: Validators;
  /** The validators of the document with the narrower schemas. */
  readonly narrow: Validators;
  /** Validates strings as the values that they contain: `"1"` is an integer, too. */
  readonly #narrowFromStrings: Validators;
  readonly #isRequest: boolean;
  /** Whether a text stands for equal schemas in both documents. */
  readonly #equal = new Map<string, boolean>();
  /** The differences of pairs of schemas. */
  readonly #pairs = new Memo<Narrowing>();
  /** The work that the current pair may still cause. */
  #left = MAX_WORK;

  constructor(
    wide: OpenApiDocument,
    narrow: OpenApiDocument,
    direction: Direction,
  ) {
    this.wide = new Validators(wide);
    this.narrow = new Validators(narrow);
    this.#narrowFromStrings = new Validators(narrow, true);
    this.#isRequest = direction === "request";
  }

  /** Whether two schemas are equal, with their components. */
  areEqual(pair: Pair): boolean {
    const [text, other] = pair.map(canonical);
    const haveEqualTexts = () => new Set(this.#texts(pair)).size === 1;
    return text === other &&
      this.#equal.getOrInsertComputed(text!, haveEqualTexts);
  }

  /** Identifies both values of a difference, with their components. */
  digest({ wide, narrow }: Narrowing): string {
    return digestOf(this.#texts([wide, narrow]).join("\n\n"));
  }

  #texts(pair: Pair): string[] {
    return [this.wide, this.narrow].map(({ document }, index) =>
      withComponents(pair[index], document.components.schemas)
    );
  }

  /** Values that both schemas accept. */
  examples([wide, narrow]: Pair): unknown[] {
    return this.#examples(wide).take(MAX_EXAMPLES).filter((value) =>
      this.wide.accepts(wide, value) && this.narrow.accepts(narrow, value)
    ).toArray();
  }

  /**
   * Whether the schemas differ for the part of a value at a path, or for a member of it.
   * A new optional member that the value lacks changes nothing.
   */
  isChanged(
    pair: Pair,
    value: unknown,
    [step, ...path]: readonly string[],
  ): boolean {
    if (this.areEqual(pair)) return false;
    if (typeof value !== "object" || value === null) return true;
    const children = [this.wide, this.narrow].map((each, index) =>
      each.shapes(pair[index]).filter(({ type, keywords }) =>
        each.accepts({ type, ...keywords }, value) !== false
      ).map(childrenOf)
    );
    const names = step === undefined ? Object.keys(value) : [step];
    return names.some((name) => {
      const [wide, narrow] = children.map((all) => ({
        anyOf: all.map(({ named, rest }) => named.get(name) ?? rest),
      }));
      const member = (value as Record<string, unknown>)[name];
      return this.isChanged([wide, narrow], member, path);
    });
  }

  /** Values that the wider schema accepts, and the narrower schema refuses. */
  witnesses(
    { keyword, narrow: limit, kind, values, wrap }: Narrowing,
    [wide, narrow]: Pair,
  ): IteratorObject<unknown> {
    // `allOf` may have merged several patterns.
    const limits = keyword === "pattern" ? [limit].flat() : [limit];
    const isEmpty = Array.isArray(limit) && limit.length === 0;
    const excluding = !isEmpty &&
      { allOf: limits.map((each) => ({ [keyword]: each })) };
    return (kind === "shown" ? values() : []).values()
      .filter((value) => this.narrow.accepts(excluding, value) === false)
      .take(MAX_TRIES).map(wrap)
      .filter((value) =>
        this.#canCompare(JSON.stringify(value)) &&
        this.wide.accepts(wide, value) &&
        this.narrow.accepts(narrow, value) === false
      );
  }

  /**
   * Whether the narrower schema accepts an object whose members became strings.
   *
   * @param inQuery Whether a list may be one string.
   */
  acceptsStrings(
    [, narrow]: Pair,
    value: unknown,
    { inQuery }: { readonly inQuery: boolean },
  ): boolean {
    const strings = this.#narrowFromStrings;
    const { properties = {} } = Object(narrow);
    const sent = Object.entries(value as object).map(([name, each]) => {
      const text = Array.isArray(each) ? each.map(stringOf) : stringOf(each);
      const isList = inQuery &&
        !strings.accepts(properties[name] ?? true, text);
      return [name, isList ? [text].flat() : text];
    });
    return strings.accepts(narrow, Object.fromEntries(sent)) === true;
  }

  /**
   * The keywords of the narrower schema that exclude values of the wider schema.
   *
   * @param isOptional Whether the whole value may be missing.
   */
  compare(pair: Pair, isOptional = false): Narrowing[] {
    this.#left = MAX_WORK;
    const found = [
      ...this.#compare(...pair),
      ...isOptional ? this.#default(pair) : [],
    ];
    if (found.length > 0 || this.areEqual(pair)) return found;
    // Keywords may exclude values together, although none does alone.
    const values = () => this.#examples(pair[0]).take(MAX_TRIES).toArray();
    const all = difference("allOf", pair.map((each) => [each]), { values });
    return this.witnesses(all, pair).some(() => true) ? [all] : [];
  }

  #compare(wide: unknown, narrow: unknown): readonly Narrowing[] {
    if (this.areEqual([wide, narrow])) return [];
    const key = `${canonical(wide)}\n${canonical(narrow)}`;
    return this.#pairs.resolve(key, () => {
      const found = this.#shapes(wide, narrow).take(MAX_FOUND + 1).toArray();
      if (found.length <= MAX_FOUND && this.#left > 0) return found;
      const listed = found.filter(({ keyword }) => keyword !== REST);
      const rest = difference(REST, [wide, narrow], { kind: "unknown" });
      return [...listed.slice(0, MAX_FOUND), rest];
    });
  }

  /** Counts the work for some texts; `false` if it was too much. */
  #canCompare(...texts: readonly string[]): boolean {
    for (const { length } of texts) this.#left -= length + STEP;
    return this.#left > 0;
  }

  #examples(wide: unknown): IteratorObject<unknown> {
    return this.wide.shapes(wide).values().flatMap(examplesOf);
  }

  *#shapes(first: unknown, second: unknown): Generator<Narrowing> {
    const wide = this.wide.shapes(first);
    const narrow = this.narrow.shapes(second);
    const [before, after] = [wide, narrow]
      .map((shapes) => Map.groupBy(shapes, ({ type }) => type));
    const types = [[...before!.keys()], [...after!.keys()]] as const;
    const gone = wide.filter(({ type }) => !after!.has(type));
    const values = () => gone.flatMap(examplesOf);
    if (gone.length > 0) yield difference("type", types, { values });
    const listed = listedIn(wide.filter(({ type }) => after!.has(type)));
    const known = new Set(listedIn(narrow).map(canonicalData));
    const isKept = (value: unknown) =>
      known.has(canonicalData(value)) || this.narrow.accepts(second, value);
    const lost = listed.filter((value) => !isKept(value));
    if (lost.length > 0) {
      const kept = listed.filter(isKept);
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
    const options = narrow.filter((each) => !isListed(each));
    const branches = wide.filter((each) => !isListed(each))
      .flatMap((each) => splitByTag(each, options));
    for (const branch of branches) {
      if (this.#left <= 0) return;
      if (options.length === 0) {
        const values = () => valuesNear(branch, branch);
        yield difference("enum", [undefined, listedIn(narrow)], { values });
        continue;
      }
      const similar = options.filter((each) => !areDisjoint([branch], [each]));
      const best = this.#best(branch, similar.length > 0 ? similar : options);
      const isUnion = branches.length + options.length > 2;
      // If a branch is gone, the difference of its `kind` is enough.
      const kinds = best.filter(({ keyword }) => isUnion && KIND.test(keyword));
      const found = similar.length > 0 || kinds.length === 0 ? best : kinds;
      yield* found.map((each) => {
        const isRead = each.keyword === "properties" &&
          each.pointer.lastIndexOf("/") === 0 &&
          options.some((option) =>
            childrenOf(option).named.has(`${each.wide}`)
          );
        // Another branch reads the member, and may accept the same values.
        return isRead ? { ...each, kind: "unknown" as const } : each;
      });
    }
  }

  /** The differences from the option that excludes least. */
  #best(branch: Shape, options: readonly Shape[]): readonly Narrowing[] {
    let best: readonly Narrowing[] | undefined;
    for (const option of options) {
      const texts = [branch, option].map(({ keywords }) => canonical(keywords));
      if (!this.#canCompare(...texts)) break;
      const found = this.#shape(branch, option).take(MAX_FOUND + 1).toArray();
      if (found.length < (best?.length ?? Infinity)) best = found;
      if (found.length === 0) break;
    }
    return best ?? [];
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
        const isOwn = keyword === "pattern" && a.pattern === undefined &&
          this.#isFormat(b);
        const whole = [{ type: "string", ...a }, b] as const;
        if (!isOwn || this.witnesses(found, whole).some(() => true)) {
          yield found;
        }
      } else if (keyword === "contentSchema" && !pair.includes(undefined)) {
        // A string that contains JSON, such as the data of an event.
        const place = { pointer: "", wrap: JSON.stringify };
        yield* within(place, this.#compare(...pair));
      } else if (keyword === "propertyNames") {
        const [names = { type: "string" }, others = true] = pair;
        const { named, rest } = childrenOf(wide);
        const { value = "x" } = this.#examples(rest).next();
        const wrap = (name: unknown) => placeIn(wide, `${name}`).wrap(value);
        const isKept = this.#isRequest && rest === true &&
          named.keys().every((each) => this.narrow.accepts(others, each));
        const place = { pointer: "/*", wrap, ...isKept && LENIENT };
        yield* within(place, this.#compare(names, others));
      } else if (rule !== null) {
        const [first, second] = pair.map((each) => ({ [keyword]: each }));
        if (!this.areEqual([first, second])) {
          yield { ...found, kind: "unknown" };
        }
      }
    }
  }

  /**
   * Whether a pattern refuses what its format refuses. Some libraries write a format
   * without a pattern, and others with a pattern for the whole format.
   */
  #isFormat({ format, pattern }: JsonSchema): boolean {
    const patterns = [pattern].flat().map((each) => ({ pattern: each }));
    const others = valuesOutside(String(format)).filter((value) =>
      this.narrow.accepts({ type: "string", format }, value) === false
    );
    return others.length > 0 &&
      others.every((value) =>
        this.narrow.accepts({ allOf: patterns }, value) === false
      );
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
    const isOpen = isSent && a.rest === true;
    // Clients and servers send only the members that their document describes.
    const unnamed = (wide.type === "array" || isObject(a.rest)) && a.rest;
    const names = new Set([...a.named.keys(), ...b.named.keys()]);
    for (const name of names) {
      // A document of another program may name a member without a schema.
      const old = a.named.has(name) ? a.named.get(name) : unnamed;
      const now = b.named.has(name) ? b.named.get(name) : b.rest;
      // Only lenient clients send a member that the wider schema does not name.
      const isNew = isOpen && !a.named.has(name) &&
        this.narrow.shapes(now).length === 0;
      const pair = [isNew || old, now] as const;
      const place = { ...placeIn(wide, name), ...isNew && LENIENT };
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
    const place = { ...placeIn(wide, "*", key), ...isOpen && LENIENT };
    yield* within(place, this.#compare(a.rest, b.rest));
  }

  /** Compares the values that an absent member has. */
  #default(pair: Pair): Narrowing[] {
    const [old, now] = [this.wide, this.narrow].map(({ document }, index) =>
      defaultOf(pair[index], document)
    );
    return old === undefined || canonicalData(old) === canonicalData(now)
      ? []
      : [difference("default", [old, now], { kind: "stated" })];
  }
}

/** The default of a schema, or of the first branch that has one. */
function defaultOf(schema: unknown, root: unknown): unknown {
  const flat = flatten(schema, root);
  return flat?.schema.default ??
    flat?.branches?.values()
      .map((each) => flatten(each, root)?.schema.default)
      .find((each) => each !== undefined);
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
  { pointer, wrap, ...more }: Place,
  found: readonly Narrowing[],
): Narrowing[] {
  return found.map((each) => ({
    ...each,
    ...more,
    pointer: pointer + each.pointer,
    wrap: (value) => wrap(each.wrap(value)),
  }));
}

/** The place of a member or an item in an example of a shape. */
function placeIn(shape: Shape, name: string, key: string = name): Place {
  const { type, keywords } = shape;
  const minItems = Math.max(Number(key) + 1, Number(keywords.minItems ?? 0));
  const isArray = type === "array";
  const filled = isArray
    ? { ...shape, keywords: { ...keywords, minItems } }
    : shape;
  return {
    pointer: pointerTo(name),
    wrap(value) {
      const [example] = examplesOf(filled);
      if (!isArray) return { ...example as object, [key]: value };
      const items = Array.isArray(example) ? example : [];
      return Object.assign([...items], { [key]: value });
    },
  };
}

function listedIn(shapes: readonly Shape[]): unknown[] {
  return shapes.filter(isListed).map(({ keywords }) => keywords.const);
}
