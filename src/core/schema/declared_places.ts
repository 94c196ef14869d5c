import { isObject, isThenable } from "../common/values.ts";
import type { StandardSchemaV1 } from "../types/schema.ts";
import {
  constantsOf,
  fitsForm,
  type JsonSchema,
  lenientForm,
  namedBy,
  targetOf,
} from "./json_schema.ts";

/** The declared members of the objects, and items of the arrays, at one place. */
export class Place {
  /** The declared members of an object. */
  readonly names = new Map<string, Place>();
  /**
   * The names that the last object had, in its order, and their places. Most objects
   * have the same order, and to compare a name is faster than to look it up
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
  /** The parts that together declare the place, in place of the properties above. */
  parts: readonly (Place | Union)[] | undefined;

  /** The declaration of a member; `undefined` leaves the member out. */
  member(name: string): Place | undefined {
    return this.names.get(name) ??
      (this.isOther?.(name) === false ? undefined : this.others);
  }
}

/** Declares nothing: an object is sent as `{}`. */
const NOTHING = new Place();

/** Declares every member and item. */
export const OPEN: Place = new Place();
OPEN.others = OPEN;

/**
 * Compiles what a schema declares; `undefined` if it has no JSON Schema. `Problem`
 * declares all members, since it allows any extension.
 *
 * @param options `isCheck`: whether to check a value that the schema has accepted. A
 * union then declares what any of its branches declares, and a place where the schema
 * describes no object declares everything, since the schema converts the object.
 */
export function compilePlace(
  schema: StandardSchemaV1,
  { isCheck }: { readonly isCheck: boolean },
): Place | undefined {
  if (schema["~standard"].vendor === "bough") return OPEN;
  const parsers: StandardSchemaV1[] = [];
  const note = (parser: StandardSchemaV1) => parsers.push(parser) - 1;
  const root = lenientForm(schema, "input", {
    // zod describes each part of a schema in an object, which this function extends.
    override: ({ zodSchema, jsonSchema }: ZodPart) => {
      jsonSchema[PARSER] = note(zodSchema);
    },
    // Valibot describes loose objects and tuples like others.
    overrideSchema: ({ valibotSchema, jsonSchema }: ValibotPart) => ({
      ...valibotSchema.type === "loose_object" && { additionalProperties: {} },
      ...valibotSchema.type === "loose_tuple" && { items: {} },
      ...jsonSchema,
      [PARSER]: note(valibotSchema),
    }),
    fallback: describeArkPart,
  });
  if (root === undefined) return undefined;
  const compiler = new Compiler(root, { parsers, isCheck });
  // A check also accepts an object whose constants differ, as in a union.
  return compiler.place(isCheck ? { anyOf: [root] } : root);
}

/** The keyword with the number of the schema that a JSON Schema describes. */
const PARSER = "~parser";

interface ZodPart {
  readonly zodSchema: StandardSchemaV1;
  readonly jsonSchema: Record<string, unknown>;
}

interface ValibotPart {
  readonly valibotSchema: StandardSchemaV1 & { readonly type: string };
  readonly jsonSchema: JsonSchema;
}

interface ArkPart {
  /** The kind of part, such as `domain` for a `bigint`. */
  readonly code: string;
  readonly base: JsonSchema;
  /** The constant. */
  readonly unit?: unknown;
  /** The last items of an array. */
  readonly elements?: readonly JsonSchema[];
}

/** Describes a part of ArkType that JSON Schema cannot represent. */
function describeArkPart({ code, base, unit, elements }: ArkPart): JsonSchema {
  // A `bigint` and `undefined` are not objects.
  const isPrimitive = code === "domain" ||
    code === "unit" && Object(unit) !== unit;
  if (isPrimitive) return { type: ["number", "string"] };
  return code === "arrayPostfix"
    ? { ...base, items: { anyOf: [base.items, ...elements!] } }
    : base;
}

/** The keywords of which each declares something. */
const DECLARING = [
  ...["$ref", "allOf", "anyOf", "oneOf", "type", "const", "enum", "properties"],
  ...["patternProperties", "additionalProperties", "items", "prefixItems"],
];

const KINDS = ["object", "array"] as const;
type Kind = typeof KINDS[number];

/** Compiles the parts of a JSON Schema, each once, since they may be recursive. */
class Compiler {
  readonly #root: JsonSchema;
  readonly #parsers: readonly StandardSchemaV1[];
  readonly #isCheck: boolean;
  /** The declaration of objects and arrays where the schema describes none. */
  readonly #misfit: Place;
  readonly #places = new Map<JsonSchema, Place>();

  constructor(root: JsonSchema, { parsers, isCheck }: {
    readonly parsers: readonly StandardSchemaV1[];
    readonly isCheck: boolean;
  }) {
    this.#root = root;
    this.#parsers = parsers;
    this.#isCheck = isCheck;
    this.#misfit = isCheck ? OPEN : NOTHING;
  }

  place(form: unknown): Place {
    if (isNever(form)) return NOTHING;
    if (!isObject(form) || !DECLARING.some((word) => word in form)) return OPEN;
    const known = this.#places.get(form);
    if (known !== undefined) return known;
    const constants = constantsOf(form);
    if (constants?.some((value) => Object(value) === value)) return OPEN;
    if (constants !== undefined) return this.#misfit;
    const kinds = this.#kindsOf(form);
    if (kinds.length === 0) return this.#misfit;
    const place = new Place();
    this.#places.set(form, place);
    const { $ref, allOf, anyOf, oneOf } = form;
    const parts = [
      ...($ref === undefined ? [] : [targetOf($ref, this.#root)]),
      ...(Array.isArray(allOf) ? allOf : []),
    ].map((part) => this.place(part));
    const unions = [anyOf, oneOf].filter(Array.isArray).map((branches) =>
      new Union(branches.map((branch) => this.#branch(branch)), this.#isCheck)
    );
    const isOwn = parts.length + unions.length === 0 || namesMembers(form) ||
      "items" in form;
    // A part that only requires members, for example, declares none.
    const others = [...parts, ...unions].filter((part) =>
      !isOwn || !(part instanceof Union ? part.isOpen : part === OPEN)
    );
    if (others.length > 0) place.parts = others;
    if (isOwn) {
      const own = others.length > 0 ? new Place() : place;
      this.#fill(own, form, kinds);
      if (own !== place) place.parts = [own, ...others];
    }
    return place;
  }

  /** Fills in the keywords of objects and arrays. */
  #fill(place: Place, form: JsonSchema, kinds: readonly Kind[]): void {
    const { prefixItems, items, type } = form;
    if (kinds.includes("object")) {
      for (const [name, each] of namedBy(form)) {
        if (!isNever(each)) place.names.set(name, this.place(each));
      }
      place.others = this.#othersOf(form);
      place.isOther = this.#namesOf(form);
    } else place.others = this.#misfit.others;
    const isArray = kinds.includes("array") &&
      (type !== undefined || !namesMembers(form));
    // `v.tuple()` of Valibot drops further items.
    const isTuple = Array.isArray(prefixItems);
    // The keyword `object` of ArkType includes arrays.
    const isOpen = place.others === OPEN && !namesMembers(form);
    const other = isOpen ? OPEN : this.#misfit;
    place.items = isArray ? this.place(items ?? !isTuple) : other;
    if (isArray && isTuple) {
      place.first = prefixItems.map((each) => this.place(each));
    }
  }

  /** The declaration of the members that a schema does not name. */
  #othersOf(
    { properties, patternProperties, additionalProperties }: JsonSchema,
  ): Place | undefined {
    const forms = Object.values(patternProperties ?? {});
    if (additionalProperties && !isNever(additionalProperties)) {
      forms.push(additionalProperties);
    }
    if (forms.length > 1) return this.place({ anyOf: forms });
    if (forms.length === 1) return this.place(forms[0]);
    const isOpen = properties === undefined && additionalProperties !== false;
    return isOpen ? OPEN : undefined;
  }

  /** The names that the declaration of other members covers. */
  #namesOf(form: JsonSchema): Place["isOther"] {
    const { patternProperties, additionalProperties, propertyNames } = form;
    const listed = listedNames(propertyNames);
    if (listed !== undefined) return (name) => listed.includes(name);
    // `z.looseRecord()` keeps the members whose names match no pattern.
    const isLoose = PARSER in form || Boolean(additionalProperties);
    if (patternProperties === undefined || isLoose) return undefined;
    const forms = Object.keys(patternProperties as JsonSchema)
      .map((pattern) => ({ pattern }));
    return (name) => forms.some((each) => fitsForm(each, name, this.#root));
  }

  #branch(form: unknown): Branch {
    let target = form;
    for (let depth = 0; depth < MAX_DEPTH; depth++) {
      if (!isObject(target) || !("$ref" in target)) break;
      target = targetOf(target.$ref, this.#root);
    }
    const { [PARSER]: number, properties, required } = Object(target);
    const tags: Branch["tags"] = Object.entries(Object(properties))
      .flatMap(([name, each]) => {
        const constants = constantsOf(Object(each));
        return constants ? [{ name, constants: new Set(constants) }] : [];
      });
    const needed = Array.isArray(required) ? required : [];
    return {
      place: this.place(form),
      kinds: this.#kindsOf(form),
      tags,
      // A schema such as `z.any()` may accept a missing member.
      required: needed.filter((name) =>
        this.place(Object(properties)[name]) !== OPEN
      ),
      parser: this.#parsers[number as number],
      fits: (json) => fitsForm(target, json, this.#root),
    };
  }

  #kindsOf(form: unknown): Kind[] {
    return KINDS.filter((kind) => this.#accepts(form, kind));
  }

  /** Whether an object or an array may fit a JSON Schema. */
  #accepts(form: unknown, kind: Kind, depth = 0): boolean {
    if (isNever(form)) return false;
    if (!isObject(form)) return true;
    const { type, $ref, anyOf, oneOf, allOf } = form;
    if (type !== undefined && ![type].flat().includes(kind)) return false;
    const constants = constantsOf(form);
    if (constants !== undefined) {
      return constants.some((value) =>
        kind === "array" ? Array.isArray(value) : isObject(value)
      );
    }
    if (depth > MAX_DEPTH) return true;
    const below = (part: unknown) => this.#accepts(part, kind, depth + 1);
    return ($ref === undefined || below(targetOf($ref, this.#root))) &&
      [anyOf, oneOf].every((parts) =>
        !Array.isArray(parts) || parts.some(below)
      ) && (!Array.isArray(allOf) || allOf.every(below));
  }
}

function namesMembers(form: JsonSchema): boolean {
  return "properties" in form || "patternProperties" in form ||
    "additionalProperties" in form;
}

/** Whether a JSON Schema is that of `z.never()`. */
function isNever(form: unknown): boolean {
  return form === false || isObject(Object(form).not) &&
      Object.keys(Object(form).not).length === 0;
}

/** The names that a record lists, as the names of a union of constants. */
function listedNames(form: unknown): readonly unknown[] | undefined {
  const { anyOf } = Object(form);
  if (!Array.isArray(anyOf)) return constantsOf(Object(form));
  const all = anyOf.map(listedNames);
  return all.every((names) => names !== undefined) ? all.flat() : undefined;
}

/** The maximum depth of references and combinations. */
const MAX_DEPTH = 10;

/** A branch of a union. */
interface Branch {
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

/** A union, which is decided for each value. */
class Union {
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
   * Chooses the branch whose constants the value has, or else the first branch that the
   * value fits. If there is none, only what all branches declare is declared. A check
   * combines all branches whose constants the value does not contradict.
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

/** JSON has no `bigint`, which an undeclared member may be. */
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

/** Whether a value, or what JSON makes of it, fits a branch. */
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

/** A place that declares only what each of several places declares. */
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
