/**
 * A value that travels with a request, from middleware inward to handlers, under
 * its own type. It is declared once, and needs no cast where it is read.
 *
 * @typeParam Value The type of the value.
 *
 * @example Usage
 * ```ts
 * import { type FrameworkRequest, type Middleware, RequestState } from "@bough/framework";
 *
 * // user.ts
 * const currentUser = new RequestState<{ name: string }>("current user");
 *
 * // middleware.ts
 * const authenticate: Middleware = (request, next) => {
 *   currentUser.set(request, { name: "Ada" });
 *   return next();
 * };
 *
 * // route.ts
 * function GET(request: FrameworkRequest): Response {
 *   return new Response(currentUser.get(request).name);
 * }
 * ```
 */
export class RequestState<Value> {
  /** What messages call the value. */
  readonly name: string;
  readonly #key: symbol;

  /**
   * Declares a value that requests may carry.
   *
   * @param name What messages call it, such as `"current user"`.
   */
  constructor(name: string) {
    this.name = name;
    this.#key = Symbol(name);
  }

  /**
   * Gives a request its value.
   *
   * @param request The request.
   * @param value The value; it replaces an earlier one.
   */
  set(request: Request, value: Value): void {
    (request as Carrier<Value>)[this.#key] = { value };
  }

  /**
   * The value of a request, where some middleware must have set it.
   *
   * @param request The request.
   * @returns The value.
   * @throws {Error} If the request has none.
   */
  get(request: Request): Value {
    const carried = (request as Carrier<Value>)[this.#key];
    if (carried !== undefined) return carried.value;
    throw new Error(
      `The request has no "${this.name}"; no middleware of its route sets it`,
    );
  }

  /**
   * The value of a request, where it may have none.
   *
   * @param request The request.
   * @returns The value, or `undefined`.
   */
  find(request: Request): Value | undefined {
    return (request as Carrier<Value>)[this.#key]?.value;
  }
}

type Carrier<Value> = Request & {
  [key: symbol]: { readonly value: Value } | undefined;
};
