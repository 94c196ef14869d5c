import { logError } from "../common/log.ts";
import type { OpenConnections } from "../record/connections.ts";
import { type Application, placeText, recordOf } from "../record/record.ts";
import type { MethodSchema } from "../types/schema.ts";

/** What a stream or a socket needs to know of its route. */
export interface LiveRoute
  extends Pick<Application, "isTrusted" | "onError" | "validateResponses"> {
  /** What the method declares of its events or its socket. */
  readonly schema: Pick<MethodSchema, "events" | "socket">;
  /** The method, pattern and file, for the log. */
  readonly place: string;
  /** What is open on the server that the request came from. */
  readonly connections: OpenConnections;
}

/** The route whose handler or middleware got the request; `undefined` where none did. */
export function liveRouteOf(request: Request): LiveRoute | undefined {
  const { place, connections } = recordOf(request) ?? {};
  if (place === undefined || connections === undefined) return undefined;
  const { application, schema } = place;
  const text = placeText(request, place);
  return { ...application, schema, place: text, connections };
}

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
  const { onError } = route ?? {};
  try {
    if (await onError?.(error, request) !== undefined) return;
  } catch (failure) {
    logError(message, failure);
  }
  logError(message, error);
}
