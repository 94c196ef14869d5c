import { NO_CONNECTION } from "../request/record.ts";
import {
  assertResponse,
  describeType,
  mutableResponse,
  streamOf,
} from "../common/response.ts";
import type { Middleware, MiddlewareRequest, Next } from "../types/request.ts";

/**
 * A step of an operation, with the steps inside it. Returns the response or a promise of
 * it, and may throw.
 */
export type Run = (request: MiddlewareRequest) => unknown;

/**
 * A step that runs a middleware. Its `next()` runs the steps inside it.
 *
 * Waits only if needed: each promise costs a hundredth of a small request's time, and
 * `openingSocket` checks for a disconnect after a wait.
 *
 * @param file The file or option of the middleware, for messages.
 */
export function around(inside: Run, run: Middleware, file: string): Run {
  const author = `Middleware ("${file}")`;
  return async (request) => {
    let isCalled = false;
    let inner: Response | undefined;
    let stream: ReadableStream | null | undefined;
    let outcome: unknown;
    const next: Next = async (given?: unknown) => {
      if (isCalled) {
        throw new Error(`${author} called next() twice; call it once`);
      }
      if ((given ?? request) !== request) {
        throw new TypeError(
          `${author} passed ${
            describeType(given)
          } to next(), which takes no argument; pass values with a RequestState, and throw errors`,
        );
      }
      isCalled = true;
      const response = inside(request);
      inner = mutableResponse(
        response instanceof Response
          ? response
          : assertResponse(await response),
      );
      // Read here, since `clone()` replaces the stream of a response.
      stream = streamOf(inner);
      // The middleware has already responded, but may still read the stream.
      if (stream && outcome !== undefined) {
        setTimeout(release, 0, stream, outcome, request);
      }
      return inner;
    };
    try {
      const response = assertResponse(await run(request, next), author);
      if (inner?.status === 101 && response.status !== 101) {
        throw new TypeError(
          `${author} replaced the upgrade response; return the response of next()`,
        );
      }
      return outcome = response;
    } catch (error) {
      throw outcome = error;
    } finally {
      release(stream, outcome, request);
    }
  };
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
