import { isMethod, type Method, METHODS } from "../method.ts";

/** What a request with some method comes to at a route. */
export type MethodResolution =
  /** The handler of a method, which need not be that of the request. */
  | { readonly handler: Method }
  /** A response that Bough makes, of a status. */
  | { readonly status: 204 | 405 | 501 };

/**
 * Finds what responds to a method at a route.
 *
 * @param handled The methods that the route has handlers for.
 * @param method What a client sent, be it anything.
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
