import { assertUsable, discard, mutableResponse } from "../response.ts";
import type { Check } from "../schema/validate.ts";
import type { Middleware, MiddlewareRequest, Next } from "../types/request.ts";

/** A middleware with its contract check and its location. */
export interface LocatedMiddleware {
  /** The middleware; absent if the file declares only a contract. */
  readonly run?: Middleware;
  /** Checks a request just before the middleware runs. */
  readonly check?: Check | undefined;
  /** The file or option of the middleware, for messages. */
  readonly file: string;
}

/**
 * A handler, or the middleware around a handler: responds to a request, and may throw.
 */
export type Invoke = (
  request: MiddlewareRequest,
) => Response | Promise<Response>;

/** Middleware, outermost first, and the function inside it. */
export interface Chain {
  readonly middleware: readonly LocatedMiddleware[];
  readonly inner: Invoke;
}

/**
 * Runs the middleware of a chain from `index` inwards, each after its contract check,
 * and then `chain.inner`.
 */
export async function runChain(
  chain: Chain,
  request: MiddlewareRequest,
  index = 0,
): Promise<Response> {
  const level = chain.middleware[index];
  if (level === undefined) return await chain.inner(request);
  const checking = level.check?.(request);
  // Await only if needed: after an await, `openingSocket` checks for a disconnect, which
  // takes time.
  if (checking !== undefined) await checking;
  const inside = () => runChain(chain, request, index + 1);
  return level.run === undefined
    ? await inside()
    : await runOne(level.run, request, { inside, file: level.file });
}

/** Runs one middleware, and discards the inner response if the middleware throws. */
async function runOne(
  run: Middleware,
  request: MiddlewareRequest,
  { inside, file }: {
    readonly inside: () => Promise<Response>;
    readonly file: string;
  },
): Promise<Response> {
  const author = `Middleware ("${file}")`;
  let isCalled = false;
  let inner: Response | undefined;
  const next: Next = async () => {
    if (isCalled) {
      throw new Error(`${author} called next() twice; call it once`);
    }
    isCalled = true;
    return inner = mutableResponse(await inside());
  };
  try {
    const response = assertUsable(await run(request, next), author);
    if (inner?.status !== 101 || response.status === 101) return response;
    throw new TypeError(
      `${author} replaced the upgrade response; return the response of next()`,
    );
  } catch (error) {
    if (inner !== undefined) discard(inner);
    throw error;
  }
}
