import { assertUsable, discard, mutableResponse } from "../response.ts";
import type { Check } from "../schema/validate.ts";
import type { Middleware, MiddlewareRequest, Next } from "../types/request.ts";

/** A middleware around one method of a route, or around requests without a route. */
export interface Level {
  readonly run: Middleware;
  /** Checks a request against the contracts just before the middleware runs. */
  readonly check: Check | undefined;
  /** The file or option of the middleware, for messages. */
  readonly file: string;
}

/** Middleware, outermost first, and what is inside it. */
export interface Chain {
  readonly levels: readonly Level[];
  /** Responds to a request, and may throw. */
  readonly invoke: (request: MiddlewareRequest) => Response | Promise<Response>;
}

/**
 * Runs a middleware of a chain after its check. Its `next()` runs the middleware inside
 * it, and finally `chain.invoke()`.
 *
 * Waits only if needed: each promise costs a hundredth of a small request's time, and
 * `openingSocket` checks for a disconnect after a wait.
 *
 * @param index The middleware, which discards the inner response if it throws.
 */
export async function runChain(
  chain: Chain,
  request: MiddlewareRequest,
  index = 0,
): Promise<Response> {
  const { run, check, file } = chain.levels[index]!;
  let isCalled = false;
  let inner: Response | undefined;
  const next: Next = async () => {
    if (isCalled) {
      throw new Error(`${authorOf(file)} called next() twice; call it once`);
    }
    isCalled = true;
    const response = index + 1 < chain.levels.length
      ? runChain(chain, request, index + 1)
      : chain.invoke(request);
    return inner = mutableResponse(
      response instanceof Promise ? await response : response,
    );
  };
  const checking = check?.(request);
  if (checking !== undefined) await checking;
  try {
    const response = assertUsable(await run(request, next), authorOf(file));
    if (inner?.status !== 101 || response.status === 101) return response;
    throw new TypeError(
      `${
        authorOf(file)
      } replaced the upgrade response; return the response of next()`,
    );
  } catch (error) {
    if (inner !== undefined) discard(inner);
    throw error;
  }
}

/** The middleware, as a message names it. */
function authorOf(file: string): string {
  return `Middleware ("${file}")`;
}
