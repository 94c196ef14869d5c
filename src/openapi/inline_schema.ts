import { definitionName } from "../http/validation/json_form.ts";
import { mapKeywords } from "./schema_walk.ts";
import type { JsonSchema } from "./types.ts";

/**
 * A schema with its definitions in the places that refer to them, so that it stands
 * alone; `undefined` if it refers to itself.
 */
export function inlineSchema(
  { $defs = {}, ...root }: JsonSchema,
): JsonSchema | undefined {
  const definitions = $defs as Readonly<Record<string, JsonSchema>>;
  let isRecursive = false;
  function visit(schema: JsonSchema, around: readonly string[]): JsonSchema {
    return mapKeywords(schema, (part) => {
      const name = definitionName(part.$ref);
      if (name === undefined || !Object.hasOwn(definitions, name)) return part;
      isRecursive ||= around.includes(name);
      if (isRecursive) return part;
      const { $ref: _, ...rest } = part;
      const inlined = visit(definitions[name]!, [...around, name]);
      // What stands beside a reference holds in addition.
      return Object.keys(rest).length === 0
        ? inlined
        : { allOf: [inlined], ...rest };
    });
  }
  const inlined = visit(root, []);
  return isRecursive ? undefined : inlined;
}
