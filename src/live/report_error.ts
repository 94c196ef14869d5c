import { logError } from "../common/log.ts";
import type { LiveRoute } from "../request/record.ts";

/**
 * Lets `onError` log an error after the head of the response was sent, or logs it.
 * The response of `onError` cannot be sent; it says that the error needs no log line.
 *
 * @param what What failed, for the log: "the events".
 */
export async function reportError(
  error: unknown,
  request: Request,
  { route, what }: {
    readonly route: LiveRoute | undefined;
    readonly what: string;
  },
): Promise<void> {
  const message = `${route?.place ?? "outside of a route"}: ${what} failed:`;
  try {
    if (await route?.onError?.(error, request) !== undefined) return;
  } catch (failure) {
    logError(message, failure);
  }
  logError(message, error);
}
