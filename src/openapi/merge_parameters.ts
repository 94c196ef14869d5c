import type { JsonSchema, Parameter } from "./types.ts";

/**
 * Merges the parameters of one name that several levels declare, outermost first. A
 * request must fit all of them: it is required if one of them requires it, and fits
 * the schemas of all, which are one where they say the same. What is said of it in
 * words comes from the nearest level.
 */
export function mergeParameters(declared: readonly Parameter[]): Parameter[] {
  const byName = Map.groupBy(declared, (each) => `${each.in} ${each.name}`);
  return [...byName.values()].map((levels) => {
    const nearest = levels.at(-1)!;
    if (levels.length === 1) return nearest;
    const description = levels.findLast((each) =>
      each.description !== undefined
    )?.description;
    return {
      ...nearest,
      ...(description !== undefined && { description }),
      required: levels.some((each) => each.required),
      ...(levels.some((each) => each.deprecated) && { deprecated: true }),
      schema: mergeSchemas(levels.map((each) => each.schema)),
    };
  });
}

function mergeSchemas(schemas: readonly JsonSchema[]): JsonSchema {
  const distinct = new Map(
    schemas.map((schema) => [JSON.stringify(schema), schema]),
  );
  const [first, ...others] = distinct.values();
  return others.length === 0 ? first! : { allOf: [first!, ...others] };
}
