/**
 * The methods a route file may export handlers for (spec 4.2), in the order in
 * which `Allow` lists them.
 */
export const METHODS = [
  "GET",
  "HEAD",
  "POST",
  "PUT",
  "PATCH",
  "DELETE",
  "OPTIONS",
] as const;

/** One of the seven HTTP methods that a route file may handle. */
export type Method = typeof METHODS[number];

/** Whether `name` is one of the seven methods, in uppercase. */
export function isMethod(name: string): name is Method {
  return (METHODS as readonly string[]).includes(name);
}
