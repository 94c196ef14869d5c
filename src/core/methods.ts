/** One of the eight HTTP methods that a route file may handle. */
export type Method =
  | "GET"
  | "HEAD"
  | "QUERY"
  | "POST"
  | "PUT"
  | "PATCH"
  | "DELETE"
  | "OPTIONS";

/** The methods, in the order of the header `Allow`. */
export const METHODS: readonly Method[] = [
  "GET",
  "HEAD",
  "QUERY",
  "POST",
  "PUT",
  "PATCH",
  "DELETE",
  "OPTIONS",
];

// What HTTP says of methods (RFC 9110, sections 9.2 and 9.3; RFC 10008 for `QUERY`). A
// client may send any string; nothing is known of other methods, so they may change data.

const SAFE: readonly string[] = ["GET", "HEAD", "QUERY", "OPTIONS"];

/** Whether a request of a method asks for no change. */
export function isSafe(method: string): boolean {
  return SAFE.includes(method);
}

/** Whether two equal requests of a method have the effect of one. */
export function isIdempotent(method: string): boolean {
  return isSafe(method) || method === "PUT" || method === "DELETE";
}

/** Whether a response represents a resource, so that clients may keep it. */
export function isCacheable(method: string): boolean {
  return isSafe(method) && method !== "OPTIONS";
}

/** Whether requests of a method may have a body; Deno's server excludes that of `GET`. */
export function mayHaveBody(method: string): boolean {
  return method !== "GET" && method !== "HEAD";
}

/** The key of a method in a `schema` export: `"post"`. */
export function schemaKey(method: Method): Lowercase<Method> {
  return method.toLowerCase() as Lowercase<Method>;
}

/** Whether `name` is one of the methods, in uppercase. */
export function isMethod(name: string): name is Method {
  return (METHODS as readonly string[]).includes(name);
}

/** The responder to a method at a route. */
export type MethodResolution =
  /**
   * The handler of this method responds; for some `HEAD` requests, the method is `GET`.
   */
  | { readonly handler: Method }
  /** Bough itself responds with this status. */
  | { readonly status: 204 | 405 | 501 };

/**
 * Finds the handler of a method at a route, or the status with which Bough responds.
 *
 * @param handled The methods that the route has handlers for.
 * @param method The method of the request; a client may send any string.
 */
export function resolveMethod(
  handled: readonly Method[],
  method: string,
): MethodResolution {
  if (!isMethod(method)) return { status: 501 };
  if (handled.includes(method)) return { handler: method };
  if (method === "HEAD" && handled.includes("GET")) return { handler: "GET" };
  return { status: method === "OPTIONS" ? 204 : 405 };
}

/** The methods that a route responds to, as the header `Allow` lists them. */
export function allowOf(handled: readonly Method[]): string {
  return METHODS.filter((method) => {
    const resolution = resolveMethod(handled, method);
    return "handler" in resolution || resolution.status === 204;
  }).join(", ");
}
