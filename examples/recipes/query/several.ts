import { z } from "zod";

/**
 * Takes `?tag=a` as well as `?tag=a&tag=b`, always gives an array, and an empty one
 * where there is none.
 *
 * @param value The schema of one value.
 * @param most How many there may be.
 */
export function several<Value extends z.ZodType>(value: Value, most = 20) {
  return z.union([value, z.array(value).max(most)])
    .optional()
    .transform((found): z.output<Value>[] =>
      found === undefined ? [] : Array.isArray(found) ? found : [found]
    );
}
