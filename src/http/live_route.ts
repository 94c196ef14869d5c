import type { Application } from "./application.ts";
import type { Handler } from "./request.ts";
import type { ResponseValidation } from "./validation/check_response.ts";
import type { MethodSchema } from "./validation/schema.ts";

/** What a stream or a socket needs to know of its route. All its requests share it. */
export interface LiveRoute
  extends Pick<Application, "connections" | "isTrusted" | "onError"> {
  /** What the method declares of its events or its socket. */
  readonly schema: Pick<MethodSchema, "events" | "socket">;
  /** What to do about an event or a message that does not fit its schema. */
  readonly validation: ResponseValidation;
  /** The method, pattern and file, for the log. */
  readonly place: string;
}

const LIVE_ROUTE = Symbol("live route");

type LiveRequest = Request & { [LIVE_ROUTE]?: LiveRoute };

/** Wraps a handler so that its requests know their route. */
export function withLiveRoute(handler: Handler, route: LiveRoute): Handler {
  return (request) => {
    setLiveRoute(request, route);
    return handler(request);
  };
}

/**
 * Lets a request know its route. Where a handler has passed it on from another
 * application, what it opens belongs to that one, whose server it came from.
 */
export function setLiveRoute(request: LiveRequest, route: LiveRoute): void {
  const outer = request[LIVE_ROUTE]?.connections ?? route.connections;
  request[LIVE_ROUTE] = outer === route.connections
    ? route
    : { ...route, connections: outer };
}

/**
 * What stands for a route where a middleware or `onNotFound` opens a stream or a
 * socket: its messages have no schemas, but it ends with its server.
 *
 * @param place Who opens it, for the log.
 */
export function liveOutside(
  place: string,
  { connections, isTrusted, onError }: Application,
): LiveRoute {
  return {
    schema: {},
    validation: false,
    place,
    connections,
    isTrusted,
    onError,
  };
}

/** The route whose handler got the request; `undefined` where none did. */
export function liveRouteOf(request: Request): LiveRoute | undefined {
  return (request as LiveRequest)[LIVE_ROUTE];
}
