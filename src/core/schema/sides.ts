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
    // An undescribed side, such as that of `z.any().pipe(User)`, declares nothing.
    if (input === output || input === OPEN) return output;
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
    joint.objects.push(...this.#objects(input.objects, output));
    joint.arrays.push(...this.#arrays(input.arrays, output));
    return joint;
  }

  #objects(inputs: readonly ObjectShape[], output: Shape): ObjectShape[] {
    const outputs = outputWays(inputs, output, output.objects);
    const isSame = inputs.length === outputs.length &&
      inputs.every(({ names, more }, index) =>
        more.length === outputs[index]!.more.length &&
        names.length === outputs[index]!.names.length &&
        names.every((name, at) => name === outputs[index]!.names[at])
      );
    if (!isSame) return [...inputs, ...outputs];
    return inputs.map((input, index) => {
      const output = outputs[index]!;
      const joint = new ObjectShape();
      joint.names.push(...input.names);
      joint.forms.push(...input.forms);
      joint.shapes.push(
        ...input.shapes.map((each, at) => this.join(each, output.shapes[at]!)),
      );
      joint.more.push(
        ...input.more.map((each, at) => ({
          ...each,
          shape: this.join(each.shape, output.more[at]!.shape),
        })),
      );
      joint.required = input.required
        .filter((name) => output.required.includes(name));
      joint.tags = joint.required
        .filter((name) => isConstant(joint.member(name)));
      return joint;
    });
  }

  #arrays(inputs: readonly ArrayShape[], output: Shape): ArrayShape[] {
    const outputs = outputWays(inputs, output, output.arrays);
    const isSame = inputs.length === outputs.length &&
      inputs.every(({ first }, index) =>
        first.length === outputs[index]!.first.length
      );
    if (!isSame) return [...inputs, ...outputs];
    return inputs.map(({ first, items, minItems }, index) => {
      const output = outputs[index]!;
      return new ArrayShape(
        first.map((each, at) => this.join(each, output.first[at]!)),
        this.join(items, output.items),
        Math.min(minItems, output.minItems),
      );
    });
  }
}

/**
 * The ways of the output. What a function makes of an object is not described: only the
 * input declares members, or a mistake in a value would reveal others.
 */
function outputWays<Way>(
  inputs: readonly Way[],
  output: Shape,
  ways: readonly Way[],
): readonly Way[] {
  return output === OPEN && inputs.length > 0 ? [] : ways;
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
