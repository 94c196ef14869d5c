import type { JsonSchema } from "../../core/schema/json_schema.ts";
import { Draw } from "./draw.ts";
import { type ValueOptions, valuesOf } from "./values.ts";

/**
 * Creates an example of a JSON Schema, as a person would write it.
 *
 * The values of the schema come first: `examples`, `const`, `default`, `enum`.
 * Otherwise, the example fits type, format, limits, lengths and simple patterns. The
 * function uses the first possible branch of `anyOf` or `oneOf`, and follows a
 * recursive reference once. The function ignores keywords such as `not`, `if` and
 * `contains`.
 *
 * @param schema A schema of draft 2020-12.
 * @param options `root` is the document to which references such as
 * `#/components/schemas/Book` refer; by default, the schema itself. `name` is the name
 * of the property or parameter, which becomes the value of a string without further
 * keywords.
 * @returns The example; `undefined` if no example is found, as for a file.
 *
 * @example Usage
 * ```ts ignore
 * createExample({
 *   type: "object",
 *   properties: { id: { type: "integer" }, email: { format: "email" } },
 * });
 * // { id: 1, email: "ada@example.com" }
 * ```
 */
export function createExample(
  schema: JsonSchema,
  options: Pick<ValueOptions, "root" | "name"> = {},
): unknown {
  return valuesOf(schema, options).plain(new Draw());
}
