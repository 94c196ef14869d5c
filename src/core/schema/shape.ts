import { getOrCompute } from "../common/values.ts";
import type { StandardSchemaV1 } from "../types/schema.ts";
import {
  asForm,
  describeStrings,
  type Direction,
  isBlank,
  isNever,
  type JsonSchema,
  lenientForm,
  listOf,
  partsOf,
} from "./json_schema.ts";
import {
  membersOf,
  type OtherMembers,
  typeBit,
  TYPES,
  type Way,
  waysOf,
} from "./ways.ts";

/** The values that a schema declares at one place, compiled from its JSON Schema. */
export class Shape {
  /** The allowed types, as a mask of {@linkcode TYPES}; 0 if no value may be here. */
  types = 0;
  /** The types of strings, numbers and booleans that may have any value, as a mask. */
  free = 0;
  /** The other values that are not containers. */
  readonly constants = new Set<unknown>();
  /** The ways in which an object, or an array, may match: several for a union. */
  readonly objects: ObjectShape[] = [];
  readonly arrays: ArrayShape[] = [];
  /** The shape alone, so that it need not be made for each value. */
  readonly spot: Spot = { shapes: [this], isCommon: false };

  /** Whether a value that is not a container may be here. */
  accepts(value: unknown): boolean {
    return (this.free & typeBit(value)) !== 0 || this.constants.has(value);
  }

  /** The ways in which a container may match. */
  waysOf(value: object): readonly (ObjectShape | ArrayShape)[] {
    return Array.isArray(value) ? this.arrays : this.objects;
  }

  /** Whether any value of a type may be here; `strings` is a list of strings. */
  allows(type: "array" | "string" | "strings"): boolean {
    return type === "strings"
      ? this.allows("array") &&
        this.arrays.some(({ first, items }) =>
          [...first, items].every((each) =>
            each === NEVER || each.allows("string")
          )
        )
      : (this.types & TYPES[type]!) !== 0;
  }

  /** Whether a member of a query is a list: it accepts a list, and no string. */
  get isQueryList(): boolean {
    return this.allows("array") && !this.allows("string");
  }
}

/** The declarations of a value. */
export interface Spot {
  readonly shapes: readonly Shape[];
  /** Whether a member needs a declaration in all shapes. Otherwise, one is enough. */
  readonly isCommon: boolean;
}

/** The members that one way of an object declares. */
export class ObjectShape {
  /** The names of members, and the JSON Schemas and the shape of each. */
  readonly names: string[] = [];
  readonly forms: (readonly JsonSchema[])[] = [];
  readonly shapes: Shape[] = [];
  /** The members without names, in the order in which they apply. */
  readonly more: {
    readonly forms: readonly JsonSchema[];
    readonly shape: Shape;
    readonly allows?: OtherMembers["allows"];
  }[] = [];
  /** Whether a part of the schema describes nothing, such as what a function makes. */
  isUnknown = false;
  /** Whether other members are rejected. */
  isStrict = false;
  /** The names of the required members, unless any value may be there. */
  required: readonly string[] = [];
  /** The names of the required members that are constants, such as `kind: "a"`. */
  tags: readonly string[] = [];

  /** Whether members are declared, but none by name. */
  get isUnnamed(): boolean {
    return this.names.length === 0 && this.more.length > 0;
  }

  /** Whether every member is declared, without any name. */
  get isOpen(): boolean {
    return this.isUnnamed &&
      this.more.some(({ shape, allows }) => shape === OPEN && !allows);
  }

  /** Whether the values of members without names are checked. */
  get checksOthers(): boolean {
    return this.more.some(({ forms }) =>
      forms.some((form) => Object.keys(form).length > 0)
    );
  }

  /** The JSON Schemas of a named member. */
  formsOf(name: string): readonly JsonSchema[] {
    return this.forms[this.names.indexOf(name)] ?? [];
  }

  /** The declaration of a member; `undefined` if there is none. */
  member(name: string): Shape | undefined {
    const shape = this.at(this.indexOf(name, 0), name);
    return shape?.types === 0 ? undefined : shape;
  }

  /** Like {@linkcode member}, but a member without a name counts only if all do. */
  named(name: string): Shape | undefined {
    return this.isOpen || this.names.includes(name)
      ? this.member(name)
      : undefined;
  }

  /**
   * The index of a name; -1 if no member has it. Most objects have nearly the order of
   * their schema, so comparing names is faster than a map
   * (`deno bench -A tests/instruments/bench/respond_bench.ts`).
   *
   * @param expected The index after that of the name before.
   */
  indexOf(name: string, expected: number): number {
    const { names } = this;
    for (let index = expected; index < names.length; index++) {
      if (names[index] === name) return index;
    }
    for (let index = 0; index < expected; index++) {
      if (names[index] === name) return index;
    }
    return -1;
  }

  /** The shape of a member, which allows no type if the member must be absent. */
  at(index: number, name: string): Shape | undefined {
    return index === -1
      ? this.more.find(({ allows }) => allows?.(name) ?? true)?.shape
      : this.shapes[index];
  }
}

/** The items that one way of an array declares. */
export class ArrayShape {
  readonly first: readonly Shape[];
  readonly items: Shape;
  readonly minItems: number;
  /** Whether a part of the schema describes nothing. */
  isUnknown = false;

  constructor(first: readonly Shape[], items: Shape, minItems: number) {
    this.first = first;
    this.items = items;
    this.minItems = minItems;
  }

  /** The declaration of an item. */
  member(index: string | number): Shape {
    return this.first[Number(index)] ?? this.items;
  }

  named(index: string): Shape {
    return this.member(index);
  }
}

/** Declares every value, with every member and item. */
export const OPEN = new Shape();
OPEN.types = OPEN.free = 127;
OPEN.constants.add(null);
OPEN.objects.push(new ObjectShape());
OPEN.objects[0]!.more.push({ forms: [{}], shape: OPEN });
OPEN.arrays.push(new ArrayShape([], OPEN, 0));
OPEN.objects[0]!.isUnknown = OPEN.arrays[0]!.isUnknown = true;

/** Declares no value. */
const NEVER = new Shape();

/** A side of a schema: JSON, the result of the schema, or strings by name. */
export type Side = Direction | "strings";

/** The compiled sides; `undefined` for those without a JSON Schema. */
const known: Readonly<
  Record<Side, WeakMap<StandardSchemaV1, Shape | undefined>>
> = {
  input: new WeakMap(),
  output: new WeakMap(),
  strings: new WeakMap(),
};

/** The shape of one side of a schema; `undefined` if it has no JSON Schema. */
export function describedShape(
  schema: StandardSchemaV1,
  side: Side = "input",
): Shape | undefined {
  return getOrCompute(known[side], schema, () => compileSchema(schema, side));
}

/** `Problem` declares all members, since it allows any extension. */
function compileSchema(
  schema: StandardSchemaV1,
  side: Side,
): Shape | undefined {
  if (schema["~standard"].vendor === "bough") return OPEN;
  const direction = side === "output" ? "output" : "input";
  const root = lenientForm(schema, direction, (part) => {
    const { jsonSchema } = part;
    // Zod merges the objects of an intersection, unless they have unknown keywords, and
    // forgets that one of them is loose.
    if (jsonSchema.type === "object") jsonSchema["~part"] = true;
    // `z.looseRecord()` keeps the members whose names match no pattern.
    if ("patternProperties" in jsonSchema) jsonSchema.additionalProperties = {};
    if (side === "strings") describeStrings(part);
  });
  return root && compileForm(root);
}

/** The compilers by the JSON Schemas that resolve references. */
const compilers = new WeakMap<JsonSchema, Compiler>();

/** The shape of the values of a JSON Schema, which may be a part of `root`. */
export function compileForm(form: unknown, root = asForm(form) ?? {}): Shape {
  return getOrCompute(compilers, root, () => new Compiler(root)).shape([form]);
}

/** Stands for all JSON Schemas that allow every value, so that they are one part. */
const BLANK: JsonSchema = {};

/** Compiles each part of a JSON Schema once, since parts may be recursive. */
class Compiler {
  readonly #root: JsonSchema;
  readonly #shapes = new Map<string, Shape>();
  readonly #numbers = new Map<unknown, number>();

  constructor(root: JsonSchema) {
    this.#root = root;
  }

  /** The shape of the values that match all JSON Schemas of a list. */
  shape(forms: readonly unknown[]): Shape {
    if (forms.some(isNever)) return NEVER;
    const parts = new Set(forms.flatMap((form) => this.#conjuncts(form)));
    if (parts.size === 1 && parts.has(BLANK)) return OPEN;
    const key = [...parts].map((part) =>
      getOrCompute(this.#numbers, part, () => this.#numbers.size)
    ).sort().join();
    const known = this.#shapes.get(key);
    if (known !== undefined) return known;
    const shape = new Shape();
    this.#shapes.set(key, shape);
    const [only] = parts;
    const whole = parts.size === 1 ? only : { allOf: [...parts] };
    for (const way of waysOf(whole, this.#root)) this.#add(way, shape);
    for (const each of shape.objects) {
      // A schema such as `z.any()` may accept a missing member.
      each.required = each.required.filter((name) =>
        each.member(name) !== OPEN
      );
      each.tags = each.required.filter((name) => isConstant(each.member(name)));
    }
    return shape;
  }

  /**
   * The parts of an intersection, without references: equal ones are compiled once, so
   * that an intersection that contains itself ends.
   */
  #conjuncts(form: unknown, depth = 0): unknown[] {
    const given = asForm(form) ?? BLANK;
    if (isBlank(given)) return [BLANK];
    const { $ref: _reference, allOf: _parts, ...others } = given;
    const { all } = partsOf(given, this.#root);
    return all.length === 0 || !isBlank(others) || depth > 10
      ? [form]
      : all.flatMap((part) => this.#conjuncts(part, depth + 1));
  }

  #add(way: Way, shape: Shape): void {
    const { types, constants } = way;
    shape.types |= types;
    for (const value of constants ?? []) shape.constants.add(value);
    if (constants !== undefined) return;
    if (types & TYPES.null!) shape.constants.add(null);
    shape.free |= types & (TYPES.boolean! | TYPES.string! | TYPES.number!);
    const object = types & TYPES.object! ? this.#objectOf(way) : undefined;
    if (object !== undefined) shape.objects.push(object);
    if (types & TYPES.array!) shape.arrays.push(this.#arrayOf(way));
    // The keyword `object` of ArkType includes arrays.
    else if (object?.isOpen) shape.arrays.push(...OPEN.arrays);
  }

  #objectOf({ parts }: Way): ObjectShape {
    const object = new ObjectShape();
    object.isUnknown = parts.some(isBlank);
    const all = parts.map(membersOf);
    for (const name of new Set(all.flatMap(({ named }) => [...named.keys()]))) {
      const forms = all.map(({ named, others }) =>
        named.get(name) ??
          others.find(({ allows }) => allows?.(name) ?? true)?.form
      ).filter((form) => form !== undefined);
      object.names.push(name);
      object.forms.push(forms);
      object.shapes.push(this.shape(forms));
    }
    const others = all.flatMap(({ others }) => others);
    const ofAnyName = others.filter(({ allows }) => !allows);
    const groups = others.filter(({ allows }) => allows).map((one) => [one])
      .concat(ofAnyName.length > 0 ? [ofAnyName] : []);
    for (const group of groups) {
      const forms = group.map(({ form }) => form);
      const { allows } = group[0]!;
      object.more.push({ forms, shape: this.shape(forms), allows });
    }
    object.isStrict = others.length === 0 &&
      all.some(({ isStrict }) => isStrict);
    object.required = [
      ...new Set(parts.flatMap(({ required }) => listOf(required).map(String))),
    ];
    return object;
  }

  #arrayOf({ parts }: Way): ArrayShape {
    const lists = parts.map(({ prefixItems, items, minItems }) => ({
      first: listOf(prefixItems),
      // Without `items`, a tuple has no more items.
      rest: items ?? !Array.isArray(prefixItems),
      minItems: Number(minItems ?? 0),
    }));
    const length = Math.max(0, ...lists.map(({ first }) => first.length));
    const array = new ArrayShape(
      Array.from(
        { length },
        (_, index) =>
          this.shape(lists.map(({ first, rest }) => first[index] ?? rest)),
      ),
      this.shape(lists.map(({ rest }) => rest)),
      Math.max(0, ...lists.map(({ minItems }) => minItems)),
    );
    array.isUnknown = parts.some(isBlank);
    return array;
  }
}

/** Whether a value must be, or must contain, a constant. */
export function isConstant(shape: Shape | undefined): boolean {
  if (shape === undefined || shape.free !== 0 || shape.arrays.length > 0) {
    return false;
  }
  return shape.objects.length === 0
    ? shape.constants.size > 0
    : shape.constants.size === 0 &&
      shape.objects.every(({ tags }) => tags.length > 0);
}

/** The names of the members of an object, according to its schema. */
export interface NamedMembers {
  /** The names that the schema lists in every way in which an object may match. */
  readonly certain: ReadonlySet<string>;
  /** The names that the schema lists in at least one way. */
  readonly possible: ReadonlySet<string>;
  /** Whether the schema rejects members that it does not name. */
  readonly isStrict: boolean;
}

/** A cache, since one contract may cover many routes. */
const names = new WeakMap<StandardSchemaV1, NamedMembers>();

/** The names of an object's members, according to both sides of its schema. */
export function namedMembers(schema: StandardSchemaV1): NamedMembers {
  return getOrCompute(names, schema, findNames);
}

function findNames(schema: StandardSchemaV1): NamedMembers {
  const input = describedShape(schema)?.objects;
  // A schema with a transform describes only its input. For a union of objects, only
  // the output of zod shows which alternatives drop further members.
  const sides = [input, describedShape(schema, "output")?.objects]
    .filter((objects) => objects !== undefined);
  const all = sides.flat();
  const possible = new Set(all.flatMap(({ names }) => names));
  const isCertain = (name: string) =>
    sides.some((objects) =>
      objects.some(({ names }) => names.includes(name)) &&
      objects.every(({ names, isStrict }) => isStrict || names.includes(name))
    );
  return {
    certain: new Set([...possible].filter(isCertain)),
    possible,
    isStrict: input !== undefined && input.length > 0 &&
      input.every(({ isStrict }) => isStrict),
  };
}
