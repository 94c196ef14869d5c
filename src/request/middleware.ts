import { assertUsable, discard, mutableResponse } from "../response.ts";
import type { Check } from "../schema/validate.ts";
import type { LocatedContract } from "../types/contract.ts";
import type { Middleware, MiddlewareRequest, Next } from "../types/request.ts";

/** A middleware with its contracts and its location. */
export interface LocatedMiddleware {
  /** The middleware; absent if the file declares only a contract. */
  readonly run?: Middleware;
  /** The contracts, outermost first. */
  readonly contracts?: readonly LocatedContract[];
  /** The file or option of the middleware, for messages. */
  readonly file: string;
}

/** A middleware around one method of a route, or around requests without a route. */
export interface Level extends Pick<LocatedMiddleware, "run" | "file"> {
  /** Checks a request against the contracts just before the middleware runs. */
  readonly check?: Check | undefined;
}

/**
 * A handler, or the middleware around a handler: responds to a request, and may throw.
 */
export type Invoke = (
  request: MiddlewareRequest,
) => Response | Promise<Response>;

/** Middleware, outermost first, and the function inside it. */
export interface Chain {
  readonly middleware: readonly Level[];
  readonly inner: Invoke;
}

/**
 * Runs the middleware of a chain from `index` inwards, each after its contract check,
 * and then `chain.inner`.
 *
 * Waits only if needed: each promise costs a hundredth of a small request's time, and
 * `openingSocket` checks for a disconnect after a wait.
 */
export function runChain(
  chain: Chain,
  request: MiddlewareRequest,
  index = 0,
): Response | Promise<Response> {
  const level = chain.middleware[index];
  if (level === undefined) return chain.inner(request);
  const checking = level.check?.(request);
  return checking === undefined
    ? runLevel(chain, request, index)
    : checking.then(() => runLevel(chain, request, index));
}

function runLevel(
  chain: Chain,
  request: MiddlewareRequest,
  index: number,
): Response | Promise<Response> {
  const { run } = chain.middleware[index]!;
  return run === undefined
    ? runChain(chain, request, index + 1)
    : runOne(run, chain, request, index);
}

/** Runs one middleware, and discards the inner response if the middleware throws. */
async function runOne(
  run: Middleware,
  chain: Chain,
  request: MiddlewareRequest,
  index: number,
): Promise<Response> {
  let isCalled = false;
  let inner: Response | undefined;
  const next: Next = async () => {
    if (isCalled) {
      throw new Error(
        `${authorOf(chain, index)} called next() twice; call it once`,
      );
    }
    isCalled = true;
    const response = runChain(chain, request, index + 1);
    return inner = mutableResponse(
      response instanceof Promise ? await response : response,
    );
  };
  try {
    const response = assertUsable(
      await run(request, next),
      authorOf(chain, index),
    );
    if (inner?.status !== 101 || response.status === 101) return response;
    throw new TypeError(
      `${
        authorOf(chain, index)
      } replaced the upgrade response; return the response of next()`,
    );
  } catch (error) {
    if (inner !== undefined) discard(inner);
    throw error;
  }
}

/** The middleware, as a message names it. */
function authorOf({ middleware }: Chain, index: number): string {
  return `Middleware ("${middleware[index]!.file}")`;
}
