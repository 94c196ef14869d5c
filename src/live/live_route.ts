import { log, type RequestPlace } from "../core/common/log.ts";
import type { OpenConnections } from "../core/request/connections.ts";
import { recordOf, requestPlace } from "../core/request/record.ts";
import type { Application } from "../core/request/application.ts";
import type { MethodSchema } from "../core/types/schema.ts";

/** The data of a route that its streams and sockets need. */
export interface LiveRoute {
  readonly application: Application;
  readonly schema: Pick<MethodSchema, "events" | "socket" | "sendUndeclared">;
  /** The method, pattern and file, for the log. */
  readonly place: RequestPlace;
  /** The open connections of the server that received the request. */
  readonly connections: OpenConnections;
}

/** Returns the route whose handler or middleware received the request, if any. */
export function liveRouteOf(request: Request): LiveRoute | undefined {
  const { operation, isHandled, connections } = recordOf(request) ?? {};
  if (operation === undefined || connections === undefined) return undefined;
  // The schemas of the method do not apply to a stream that middleware opens.
  const schema = isHandled ? operation.schema : undefined;
  return {
    application: operation.application,
    schema: schema ?? {},
    place: requestPlace(request, operation),
    connections,
  };
}

/**
 * Logs an error that occurs after the status and the headers were sent. Bough can no
 * longer send an error response. If `onError` returns a response, Bough considers the
 * error logged.
 *
 * @param what The part that failed, for the log: "the stream of events".
 */
export async function reportError(
  error: unknown,
  request: Request,
  { route, what }: {
    readonly route: LiveRoute | undefined;
    readonly what: string;
  },
): Promise<void> {
  const place = route?.place ?? "outside of a route";
  const entry = { level: "error", place, message: `${what} failed` } as const;
  const { onError } = route?.application ?? {};
  try {
    if (await onError?.(error, request) !== undefined) return;
  } catch (failure) {
    log({ ...entry, error: failure });
  }
  log({ ...entry, error });
}
