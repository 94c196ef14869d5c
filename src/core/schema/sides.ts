import { getOrCompute } from "../common/values.ts";
import type { StandardSchemaV1 } from "../types/schema.ts";
import { type JsonSchema, lenientForm } from "./json_schema.ts";
import {
  ArrayShape,
  describedShape,
  isConstant,
  ObjectShape,
  OPEN,
  Shape,
} from "./shape.ts";

// A value may have the form of the input of its schema, or of the output: both `"true"`
// and `true` fit `z.stringbool()`. Each place may have its own form.

const shapes = new WeakMap<StandardSchemaV1, Shape>();

/** The shape of the values that a schema sends: every value, if it has no JSON Schema. */
export function shapeOf(schema: StandardSchemaV1): Shape {
  return getOrCompute(shapes, schema, () => {
    const input = describedShape(schema);
    const output = describedShape(schema, "output") ?? input;
    return input && output ? new Pairs().join(input, output) : OPEN;
  });
}

/** Joins the shapes of two sides, each pair once, since a shape may be recursive. */
class Pairs {
  readonly #known = new Map<Shape, Map<Shape, Shape>>();

  /** Makes a union of both shapes where they differ. */
  join(input: Shape, output: Shape): Shape {
    if (input === output) return input;
    const known = getOrCompute(this.#known, input, () => new Map());
    const found = known.get(output);
    if (found !== undefined) return found;
    const joint = new Shape();
    known.set(output, joint);
    joint.types = input.types | output.types;
    joint.free = input.free | output.free;
    for (const value of [...input.constants, ...output.constants]) {
      joint.constants.add(value);
    }
    const isDescribed = [input, output].some(({ objects, arrays }) =>
      [...objects, ...arrays].some(({ isUnknown }) => !isUnknown)
    );
    const waysOf = <Way extends ObjectShape | ArrayShape>(
      inputs: readonly Way[],
      outputs: readonly Way[],
      merge: (input: Way, output: Way) => Way | undefined,
    ): readonly Way[] =>
      inputs.length !== outputs.length
        // What is not described would declare all members.
        ? [...inputs, ...outputs].filter((way) =>
          !isDescribed || !way.isUnknown
        )
        : inputs.flatMap((input, index) => {
          const output = outputs[index]!;
          if (output.isUnknown) return [input];
          if (input.isUnknown) return [output];
          return merge(input, output) ?? [input, output];
        });
    joint.objects.push(
      ...waysOf(
        input.objects,
        output.objects,
        (one, other) => this.#object(one, other),
      ),
    );
    joint.arrays.push(
      ...waysOf(
        input.arrays,
        output.arrays,
        (one, other) => this.#array(one, other),
      ),
    );
    return joint;
  }

  /** Merges two ways with the same names; `undefined` if they differ. */
  #object(input: ObjectShape, output: ObjectShape): ObjectShape | undefined {
    const { names, forms, shapes, more, required } = input;
    const isSame = names.length === output.names.length &&
      more.length === output.more.length &&
      names.every((name, index) => name === output.names[index]);
    if (!isSame) return undefined;
    const joint = new ObjectShape();
    joint.names.push(...names);
    joint.forms.push(...forms);
    for (const [index, shape] of shapes.entries()) {
      joint.shapes.push(this.join(shape, output.shapes[index]!));
    }
    for (const [index, one] of more.entries()) {
      const other = output.more[index]!;
      joint.more.push({
        forms: one.forms,
        shape: this.join(one.shape, other.shape),
        allows: one.allows && other.allows &&
          ((name) => one.allows!(name) || other.allows!(name)),
      });
    }
    joint.required = required.filter((name) => output.required.includes(name));
    joint.tags = joint.required
      .filter((name) => isConstant(joint.member(name)));
    return joint;
  }

  #array(input: ArrayShape, output: ArrayShape): ArrayShape | undefined {
    const { first, items, minItems } = input;
    if (first.length !== output.first.length) return undefined;
    return new ArrayShape(
      first.map((each, index) => this.join(each, output.first[index]!)),
      this.join(items, output.items),
      Math.min(minItems, output.minItems),
    );
  }
}

/** The sides of a schema, to which the check of responses compares JSON. */
export interface Sides {
  readonly input: Shape;
  /** The JSON Schema of the output, if the library describes it. */
  readonly output: JsonSchema | undefined;
  /** Whether it is that of the input, as in a schema that converts nothing. */
  readonly isSame: boolean;
}

const sides = new WeakMap<StandardSchemaV1, Sides>();

/** Describes the input and the output of a schema. */
export function sidesOf(schema: StandardSchemaV1): Sides {
  return getOrCompute(sides, schema, () => {
    const [input, output] = (["input", "output"] as const)
      .map((direction) => lenientForm(schema, direction));
    return {
      input: describedShape(schema) ?? OPEN,
      output,
      isSame: output === undefined || isSameForm(input, output),
    };
  });
}

/** The keywords that differ between the sides of a schema that converts nothing. */
const OTHER_SIDE = ["$schema", "additionalProperties", "default", "required"];

/** The keywords whose members have names of their own. */
const NAMING = ["$defs", "properties", "patternProperties"];

function isSameForm(one: unknown, other: unknown, areNames = false): boolean {
  if (!isContainer(one) || !isContainer(other)) return one === other;
  const keys = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...keys].every((key) =>
    !areNames && OTHER_SIDE.includes(key) ||
    isSameForm(one[key], other[key], !areNames && NAMING.includes(key))
  );
}

function isContainer(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
