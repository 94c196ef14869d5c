import { getOrCompute } from "../common/values.ts";
import type { StandardSchemaV1 } from "../types/schema.ts";
import {
  asForm,
  isBlank,
  isNever,
  type JsonSchema,
  lenientForm,
  partsOf,
} from "./json_schema.ts";
import { typeBit, TYPES, type Way, waysOf } from "./ways.ts";

/** The values that a schema declares at one place, compiled from its JSON Schema. */
export class Shape {
  /** The types of strings, numbers and booleans that may have any value, as a mask. */
  free = 0;
  /** The other values that are not containers. */
  readonly constants = new Set<unknown>();
  /** The ways in which an object, or an array, may match: several for a union. */
  readonly objects: ObjectShape[] = [];
  readonly arrays: ArrayShape[] = [];
  /** The only way in which an object may match. */
  object: ObjectShape | undefined;
  /** Whether no value may be here. */
  isNever = false;
  /** The shape alone, so that a list need not be made for each value. */
  readonly spot: readonly Shape[] = [this];

  /** Whether a value that is not a container may be here. */
  accepts(value: unknown): boolean {
    return (this.free & typeBit(value)) !== 0 || this.constants.has(value);
  }
}

/** The ways that declare a container: each of them, or what all of them name. */
export interface Chosen {
  readonly ways: readonly (ObjectShape | ArrayShape)[];
  readonly isCommon: boolean;
}

/** The members that one way of an object declares. */
export class ObjectShape {
  /** The indexes of the named members. */
  readonly indexes = new Map<string, number>();
  readonly names: string[] = [];
  readonly shapes: Shape[] = [];
  /** The members without names, in the order in which they apply. */
  readonly more: {
    readonly shape: Shape;
    readonly allows?: ((name: string) => boolean) | undefined;
  }[] = [];
  required: readonly string[] = [];
  /** The names of the required members that are constants, such as `kind: "a"`. */
  tags: readonly string[] = [];
  readonly chosen: readonly Chosen[] = [{ ways: [this], isCommon: false }];

  /** Whether members are declared, but none by name. */
  get isUnnamed(): boolean {
    return this.names.length === 0 && this.more.length > 0;
  }

  /** Whether every member is declared, without any name. */
  get isOpen(): boolean {
    return this.isUnnamed &&
      this.more.some(({ shape, allows }) => shape === OPEN && !allows);
  }

  /** The declaration of a member; `undefined` if there is none. */
  member(name: string): Shape | undefined {
    const index = this.indexes.get(name);
    const shape = index === undefined
      ? this.more.find(({ allows }) => allows?.(name) ?? true)?.shape
      : this.shapes[index];
    return shape?.isNever ? undefined : shape;
  }
}

/** The items that one way of an array declares. */
export class ArrayShape {
  readonly first: readonly Shape[];
  readonly items: Shape;
  readonly chosen: readonly Chosen[] = [{ ways: [this], isCommon: false }];

  constructor(first: readonly Shape[], items: Shape) {
    this.first = first;
    this.items = items;
  }

  item(index: number): Shape {
    return this.first[index] ?? this.items;
  }
}

/** Declares every value, with every member and item. */
export const OPEN = new Shape();
OPEN.free = 127;
OPEN.constants.add(null);
OPEN.objects.push(new ObjectShape());
OPEN.objects[0]!.more.push({ shape: OPEN });
OPEN.arrays.push(new ArrayShape([], OPEN));

/** Declares no value. */
const NEVER = new Shape();
NEVER.isNever = true;

/** The compiled schemas; `undefined` for those without a JSON Schema. */
const known = new WeakMap<StandardSchemaV1, Shape | undefined>();

/** The shape of the values of a schema; `undefined` if it has no JSON Schema. */
export function describedShape(schema: StandardSchemaV1): Shape | undefined {
  return getOrCompute(known, schema, compileSchema);
}

/** The shape of the values of a schema: every value, if it has no JSON Schema. */
export function shapeOf(schema: StandardSchemaV1): Shape {
  return known.get(schema) ?? describedShape(schema) ?? OPEN;
}

/** The sides of a schema. */
interface Sides {
  readonly input: Shape;
  readonly output: {
    readonly shape: Shape;
    readonly form: JsonSchema | undefined;
    /** Whether it has the form of the input, as in a schema that converts nothing. */
    readonly isSame: boolean;
  };
}

/** The schemas whose values had to be compared with both sides. */
const sides = new WeakMap<StandardSchemaV1, Sides>();

/** The keywords that differ between the sides of a schema that converts nothing. */
const OTHER_SIDE = ["$schema", "additionalProperties", "default", "required"];

/** Describes the input and the output of a schema. */
export function sidesOf(schema: StandardSchemaV1): Sides {
  return getOrCompute(sides, schema, () => {
    const input = shapeOf(schema);
    const [from, form] = (["input", "output"] as const)
      .map((direction) => lenientForm(schema, direction));
    const textOf = (form: JsonSchema | undefined) =>
      JSON.stringify(
        form,
        (key, value) => OTHER_SIDE.includes(key) ? undefined : value,
      );
    const isSame = form === undefined || textOf(from) === textOf(form);
    const shape = isSame ? input : compileForm(form);
    return { input, output: { shape, form, isSame } };
  });
}

/** The shape of the side of a schema that JSON has. */
export function shapeFor(schema: StandardSchemaV1, value: unknown): Shape {
  const { input, output } = sidesOf(schema);
  return output.isSame || fitsShape(input, value) ? input : output.shape;
}

/** `Problem` declares all members, since it allows any extension. */
function compileSchema(schema: StandardSchemaV1): Shape | undefined {
  if (schema["~standard"].vendor === "bough") return OPEN;
  const root = lenientForm(schema, "input", ({ jsonSchema }) => {
    // Zod merges the objects of an intersection, unless they have unknown keywords, and
    // forgets that one of them is loose.
    jsonSchema["~part"] = true;
    // `z.looseRecord()` keeps the members whose names match no pattern.
    if ("patternProperties" in jsonSchema) jsonSchema.additionalProperties = {};
  });
  return root && compileForm(root);
}

function compileForm(root: JsonSchema): Shape {
  return new Compiler(root).shape(root);
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

  shape(form: unknown): Shape {
    if (isNever(form)) return NEVER;
    const parts = new Set(this.#conjuncts(form));
    if (parts.size === 1 && parts.has(BLANK)) return OPEN;
    const key = [...parts].map((part) =>
      getOrCompute(this.#numbers, part, () => this.#numbers.size)
    ).sort().join();
    const known = this.#shapes.get(key);
    if (known !== undefined) return known;
    const shape = new Shape();
    this.#shapes.set(key, shape);
    const ways = waysOf({ allOf: [...parts] }, this.#root);
    shape.isNever = ways.length === 0;
    for (const way of ways) this.#add(way, shape);
    if (shape.objects.length === 1) shape.object = shape.objects[0];
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

  #objectOf({ named, required, more }: Way): ObjectShape {
    const object = new ObjectShape();
    for (const [name, form] of named) {
      object.indexes.set(name, object.names.length);
      object.names.push(name);
      object.shapes.push(this.shape(form));
    }
    for (const { form, allows } of more) {
      object.more.push({ shape: this.shape(form), allows });
    }
    object.required = [...required];
    return object;
  }

  #arrayOf({ first, items = {} }: Way): ArrayShape {
    return new ArrayShape(
      first.map((form) => this.shape(form)),
      this.shape(items),
    );
  }
}

/** Whether a value must be, or must contain, a constant. */
function isConstant(shape: Shape | undefined): boolean {
  if (shape === undefined || shape.free !== 0 || shape.arrays.length > 0) {
    return false;
  }
  return shape.objects.length === 0
    ? shape.constants.size > 0
    : shape.constants.size === 0 &&
      shape.objects.every(({ tags }) => tags.length > 0);
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
    one.names.every((name) => other.indexes.has(name));
}

/** Whether another branch contradicts a constant that a branch requires. */
function excludes(
  { tags, indexes, shapes }: ObjectShape,
  other: ObjectShape,
): boolean {
  return tags.some((name) => {
    const { objects, constants } = shapes[indexes.get(name)!]!;
    const shape = other.member(name);
    return shape !== undefined &&
      (objects.length === 0
        ? [...constants].every((value) => !shape.accepts(value))
        : shape.objects.every((each) =>
          objects.every((object) => excludes(object, each))
        ));
  });
}

/** The depth to which the branches of a union are compared with a value. */
const MAX_LEVELS = 32;

/** The ways that a JSON value does not contradict; the only way, if there is one. */
export function remaining(
  { objects, arrays }: Shape,
  value: object,
): readonly ObjectShape[] | readonly ArrayShape[] {
  const fit = new Fit(false);
  if (Array.isArray(value)) {
    return arrays.length < 2
      ? arrays
      : arrays.filter((way) => fit.isArray(way, value, MAX_LEVELS));
  }
  if (objects.length < 2) return objects;
  const members = value as Record<string, unknown>;
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
    if (typeof value !== "object" || value === null) {
      return shape.accepts(value);
    }
    // What a date becomes in JSON is not known here, so it contradicts nothing.
    const hasJson = typeof (value as Partial<Date>).toJSON === "function";
    if (levels === 0 || hasJson) return !shape.isNever;
    const { objects, arrays } = shape;
    const compare = () =>
      Array.isArray(value)
        ? arrays.some((way) => this.isArray(way, value, levels))
        : objects.some((way) =>
          this.isObject(way, value as Record<string, unknown>, levels)
        );
    if (objects.length < 2 && arrays.length < 2) return compare();
    const known = getOrCompute(this.#known, value, () => new Map());
    return getOrCompute(known, shape, compare);
  }

  isArray(way: ArrayShape, list: readonly unknown[], levels: number): boolean {
    return list.every((item, index) =>
      this.is(way.item(index), item, levels - 1)
    );
  }

  isObject(
    { indexes, shapes, more, tags, required }: ObjectShape,
    value: Record<string, unknown>,
    levels: number,
  ): boolean {
    if (!hasAll(value, this.#isComplete ? required : tags)) return false;
    for (const name of Object.keys(value)) {
      const index = indexes.get(name);
      const shape = index === undefined
        ? more.find(({ allows }) => allows?.(name) ?? true)?.shape
        : shapes[index];
      const given = value[name];
      if (shape !== undefined && given !== undefined) {
        if (!this.is(shape, given, levels - 1)) return false;
      }
    }
    return true;
  }
}
