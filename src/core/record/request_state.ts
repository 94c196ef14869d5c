import { ensureRecord, recordOf } from "./record.ts";

/**
 * A typed value that middleware sets on a request, for handlers and inner middleware to
 * read. Each request has its own value.
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
  /** The name of the value in error messages. */
  readonly name: string;

  /**
   * Declares a value that requests may carry.
   *
   * @param name The name of the value in error messages, such as `"current user"`.
   */
  constructor(name: string) {
    this.name = name;
  }

  /**
   * Sets the value of a request.
   *
   * @param request The request.
   * @param value The value, which replaces an earlier value.
   */
  set(request: Request, value: Value): void {
    const record = ensureRecord(request);
    (record.values ??= new Map()).set(this, value);
  }

  /**
   * Returns the value of a request; throws an error if the request has no value.
   *
   * @param request The request.
   * @returns The value.
   * @throws {Error} If the request has no value.
   */
  get(request: Request): Value {
    const values = recordOf(request)?.values;
    if (values?.has(this)) return values.get(this) as Value;
    throw new Error(
      `The request has no "${this.name}"; set it in middleware, or call find()`,
    );
  }

  /**
   * Returns the value of a request, if it was set.
   *
   * @param request The request.
   * @returns The value, or `undefined`.
   */
  find(request: Request): Value | undefined {
    return recordOf(request)?.values?.get(this) as Value | undefined;
  }
}
