import type { ResponseValidation } from "../schema/check_response.ts";
import type { Handler } from "../types/request.ts";
import type { MethodSchema } from "../types/schema.ts";
import type { OpenConnections } from "./connections.ts";
import type { ErrorHandler } from "./failure.ts";
import type { OriginCheck } from "./origins.ts";

/** What all routes of an application share. */
export interface Application {
  /** The streams and sockets that it holds open. */
  readonly connections: OpenConnections;
  /** Whether the page that a request comes from is trusted. */
  readonly isTrusted: OriginCheck;
  /** What to do about a response that does not fit its schema. */
  readonly validateResponses: ResponseValidation;
  /** Whether responses carry the header `Server-Timing`. */
  readonly serverTiming: boolean;
  /** Its own error handler. */
  readonly onError: ErrorHandler | undefined;
}

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

/**
 * A typed value that middleware sets on a request, for handlers and for further
 * middleware to read. Each request has a value of its own.
 *
 * @typeParam Value The type of the value.
 *
 * @example Usage
 * ```ts
 * import { type FrameworkRequest, type Middleware, RequestState } from "@bough/framework";
 *
 * // user.ts
 * const currentUser = new RequestState<{ name: string }>("current user");
 *
 * // middleware.ts
 * const authenticate: Middleware = (request, next) => {
 *   currentUser.set(request, { name: "Ada" });
 *   return next();
 * };
 *
 * // route.ts
 * function GET(request: FrameworkRequest): Response {
 *   return new Response(currentUser.get(request).name);
 * }
 * ```
 */
export class RequestState<Value> {
  /** The name of the value in error messages. */
  readonly name: string;
  readonly #key: symbol;

  /**
   * Declares a value that requests may carry.
   *
   * @param name Its name in error messages, such as `"current user"`.
   */
  constructor(name: string) {
    this.name = name;
    this.#key = Symbol(name);
  }

  /**
   * Sets the value of a request.
   *
   * @param request The request.
   * @param value The value, in place of an earlier one.
   */
  set(request: Request, value: Value): void {
    (request as Carrier<Value>)[this.#key] = { value };
  }

  /**
   * Returns the value of a request that must have one.
   *
   * @param request The request.
   * @returns The value.
   * @throws {Error} If the request has none.
   */
  get(request: Request): Value {
    const carried = (request as Carrier<Value>)[this.#key];
    if (carried !== undefined) return carried.value;
    throw new Error(
      `The request has no "${this.name}"; no middleware of its route sets it`,
    );
  }

  /**
   * Returns the value of a request that may have none.
   *
   * @param request The request.
   * @returns The value, or `undefined`.
   */
  find(request: Request): Value | undefined {
    return (request as Carrier<Value>)[this.#key]?.value;
  }
}

type Carrier<Value> = Request & {
  [key: symbol]: { readonly value: Value } | undefined;
};
