/** One of the seven HTTP methods that a route file may handle. */
export type Method =
  | "GET"
  | "HEAD"
  | "POST"
  | "PUT"
  | "PATCH"
  | "DELETE"
  | "OPTIONS";

/** The methods, in the order of the header `Allow`. */
export const METHODS: readonly Method[] = [
  "GET",
  "HEAD",
  "POST",
  "PUT",
  "PATCH",
  "DELETE",
  "OPTIONS",
];

/** The key of a method in a `schema` export: `"post"`. */
export function schemaKey(method: Method): Lowercase<Method> {
  return method.toLowerCase() as Lowercase<Method>;
}

/** Whether `name` is one of the seven methods, in uppercase. */
export function isMethod(name: string): name is Method {
  return (METHODS as readonly string[]).includes(name);
}
