import type { OriginCheck } from "./body/cross_site.ts";
import type { ErrorHandler } from "./failure.ts";
import type { OpenConnections } from "./open_connections.ts";
import type { Handler } from "./request.ts";
import type { ResponseValidation } from "./validation/check_response.ts";
import type { MethodSchema } from "./validation/schema.ts";

/** What a stream or a socket needs to know of its route. All its requests share it. */
export interface LiveRoute {
  /** What the method declares of its events or its socket. */
  readonly schema: Pick<MethodSchema, "events" | "socket">;
  /** What to do about an event or a message that does not fit its schema. */
  readonly validation: ResponseValidation;
  /** The method, pattern and file, for the log. */
  readonly place: string;
  /** What the application holds open. */
  readonly connections: OpenConnections;
  /** Whether the page that a request comes from is trusted. */
  readonly isTrusted: OriginCheck;
  /** The application's own error handler. */
  readonly onError?: ErrorHandler | undefined;
}

const LIVE_ROUTE = Symbol("live route");

type LiveRequest = Request & { [LIVE_ROUTE]?: LiveRoute };

/** Wraps a handler so that its requests know their route. */
export function withLiveRoute(handler: Handler, route: LiveRoute): Handler {
  return (request) => {
    (request as LiveRequest)[LIVE_ROUTE] = route;
    return handler(request);
  };
}

/** The route whose handler got the request; `undefined` where none did. */
export function liveRouteOf(request: Request): LiveRoute | undefined {
  return (request as LiveRequest)[LIVE_ROUTE];
}
