import { isIdempotent } from "../core/methods.ts";
import { retryAfterOf, wait } from "./events.ts";

/** The shortest wait, in milliseconds, for a server that sends `Retry-After: 0`. */
const SHORTEST_WAIT = 1_000;

/** A request that may be sent again. */
interface Attempts {
  readonly method: string;
  readonly headers: Headers;
  readonly signal: AbortSignal | null;
  /** The longest time to wait in total, in milliseconds. */
  readonly retryFor: number;
}

/**
 * Sends a request again while the server asks to wait, and the waits fit into a budget.
 *
 * @param attempt Sends the request.
 * @returns The last response, whatever its status.
 */
export async function sendPatiently(
  attempt: () => Promise<Response>,
  { method, headers, signal, retryFor }: Attempts,
): Promise<Response> {
  // A server that responds with 503 may have begun to handle the request.
  const isRepeatable = isIdempotent(method) || headers.has("idempotency-key");
  let left = retryFor;
  while (true) {
    const response = await attempt();
    const { status } = response;
    // With 409 and 429, the request had no effect.
    const asksToWait = response.headers.has("retry-after") &&
      (status === 409 || status === 429 || status === 503 && isRepeatable);
    const delay = Math.max(retryAfterOf(response), SHORTEST_WAIT);
    if (!asksToWait || !(delay <= left)) return response;
    left -= delay;
    await response.body?.cancel();
    await wait(delay, signal);
    signal?.throwIfAborted();
  }
}
