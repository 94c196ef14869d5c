import { assertUsable, discard, mutableResponse } from "../response.ts";
import type { Check } from "../schema/validate.ts";
import type { FolderContract, Unchecked } from "../types/contract.ts";
import type { MiddlewareRequest } from "../types/request.ts";
import type { MethodSchema } from "../types/schema.ts";

/**
 * Runs what lies inside, and returns its response: further middleware, then
 * validation and the handler. It rejects with what is thrown there. Call it once.
 * The headers of the response can be set, also those of a redirect or of
 * `fetch()`.
 */
export type Next = () => Promise<Response>;

/**
 * Runs around the routes of a folder, as the default export of its
 * `middleware.ts`, or around the whole application, by the option `middleware`.
 *
 * It returns the response of `next()`, or another one. If it does not call
 * `next()`, the request ends here.
 *
 * @typeParam Contract The `contract` of its file, if it has one: then
 * `request.validated` has its values, or `undefined` where no handler responds.
 *
 * @example Usage
 * ```ts
 * import type { Middleware } from "@bough/framework";
 *
 * const timed: Middleware = async (request, next) => {
 *   const start = performance.now();
 *   const response = await next();
 *   console.log(request.pattern, performance.now() - start);
 *   return response;
 * };
 *
 * export default timed;
 * ```
 */
export type Middleware<
  Contract extends FolderContract | undefined = undefined,
> = (
  request: MiddlewareRequest<
    Contract extends FolderContract ? Unchecked<Contract> : MethodSchema
  >,
  next: Next,
) => Response | Promise<Response>;

/** A middleware, what it relies on, and where it comes from. */
export interface PlacedMiddleware {
  /** The middleware; a contract may stand without one. */
  readonly run?: Middleware;
  /** Checks a request just before the middleware runs. */
  readonly check?: Check | undefined;
  /** Its file or option, for messages. */
  readonly file: string;
}

/** Responds to a request, and may throw: a handler, or middleware around one. */
export type Invoke = (
  request: MiddlewareRequest,
) => Response | Promise<Response>;

/** Puts middleware around `inner`, the first one outermost. */
export function compose(
  middleware: readonly PlacedMiddleware[],
  inner: Invoke,
): Invoke {
  return middleware.reduceRight(wrap, inner);
}

function wrap(inner: Invoke, { run, check, file }: PlacedMiddleware): Invoke {
  const around = run === undefined ? inner : wrapRun(inner, run, file);
  return check === undefined ? around : checkBefore(around, check);
}

/** Checks a request before it goes on; one that does not fit ends here. */
export function checkBefore<Bound extends MiddlewareRequest>(
  inner: (request: Bound) => Response | Promise<Response>,
  check: Check,
): (request: Bound) => Response | Promise<Response> {
  return (request) => {
    const checking = check(request);
    return checking === undefined
      ? inner(request)
      : checking.then(() => inner(request));
  };
}

function wrapRun(inner: Invoke, run: Middleware, file: string): Invoke {
  const author = `Middleware ("${file}")`;
  return (request) => {
    let called = false;
    let inside: Response | undefined;
    const next: Next = async () => {
      if (called) {
        throw new Error(`${author} called next() twice; call it once`);
      }
      called = true;
      return inside = mutableResponse(await inner(request));
    };
    const usable = (value: unknown): Response => {
      const response = assertUsable(value, author);
      if (inside?.status !== 101 || response.status === 101) return response;
      throw new TypeError(
        `${author} returned another response in place of an upgrade; return what next() gave`,
      );
    };
    const response: unknown = run(request, next);
    if (response instanceof Response) return usable(response);
    return Promise.resolve(response).then(usable).catch((error) => {
      // Nobody else frees the inner response, which may hold a connection.
      if (inside !== undefined) discard(inside);
      throw error;
    });
  };
}
