import { NO_CONNECTION } from "../request/record.ts";
import {
  assertUsable,
  describeType,
  mutableResponse,
  streamOf,
} from "../common/response.ts";
import type { Check } from "../schema/check_request.ts";
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
 * @param index The middleware.
 */
export async function runChain(
  chain: Chain,
  request: MiddlewareRequest,
  index = 0,
): Promise<Response> {
  const { run, check, file } = chain.levels[index]!;
  let isCalled = false;
  let inner: Response | undefined;
  let stream: ReadableStream | null | undefined;
  let outcome: unknown;
  const next: Next = async (given?: unknown) => {
    if (isCalled) {
      throw new Error(`${authorOf(file)} called next() twice; call it once`);
    }
    if ((given ?? request) !== request) {
      throw new TypeError(
        `${authorOf(file)} passed ${
          describeType(given)
        } to next(), which takes no argument; pass values with a RequestState, and throw errors`,
      );
    }
    isCalled = true;
    const response = index + 1 < chain.levels.length
      ? runChain(chain, request, index + 1)
      : chain.invoke(request);
    inner = mutableResponse(
      response instanceof Promise ? await response : response,
    );
    // Read here, since `clone()` replaces the stream of a response.
    stream = streamOf(inner);
    // The middleware has already responded, but may still read the stream.
    if (stream && outcome !== undefined) {
      setTimeout(release, 0, stream, outcome, request);
    }
    return inner;
  };
  const checking = check?.(request);
  if (checking !== undefined) await checking;
  try {
    const response = assertUsable(await run(request, next), authorOf(file));
    if (inner?.status === 101 && response.status !== 101) {
      throw new TypeError(
        `${
          authorOf(file)
        } replaced the upgrade response; return the response of next()`,
      );
    }
    return outcome = response;
  } catch (error) {
    throw outcome = error;
  } finally {
    release(stream, outcome, request);
  }
}

/**
 * Frees the resources of an inner response that is not sent.
 *
 * @param stream The stream of the response.
 * @param outcome What the middleware returned or threw.
 */
function release(
  stream: ReadableStream | null | undefined,
  outcome: unknown,
  { info }: MiddlewareRequest,
): void {
  if (!stream || stream.locked) return;
  const cancel = () => stream.cancel().catch(() => {});
  const sent = outcome instanceof Response ? streamOf(outcome) : null;
  if (sent === null) cancel();
  // A generator in the response may begin to read the stream while it is sent.
  else if (sent !== stream && info !== NO_CONNECTION) {
    info.completed.then(cancel, cancel);
  }
}

/** The middleware, as a message names it. */
function authorOf(file: string): string {
  return `Middleware ("${file}")`;
}
