import { z } from "zod";

/**
 * Accepts both `?tag=a` and `?tag=a&tag=b`, and always returns an array. The array
 * is empty if the name is absent.
 *
 * @param value The schema of one value.
 * @param most The largest number of values.
 */
export function several<Value extends z.ZodType>(value: Value, most = 20) {
  return z.union([value, z.array(value).max(most)])
    .optional()
    .transform((found): z.output<Value>[] =>
      found === undefined ? [] : Array.isArray(found) ? found : [found]
    );
}
