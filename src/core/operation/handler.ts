/**
 * The story of a request, in the order in which it runs:
 *
 * 1. `app.fetch()`, or the server of `app.serve()`, calls `handle()`. If the handler of
 *    another application passes a request on, that application gets it back afterwards.
 * 2. The host is checked, the path is read, and the tree finds the route. A route has an
 *    endpoint for each method, and a lazy route first imports its file. Without a route,
 *    an endpoint of this file responds.
 * 3. `Endpoint.respond()` gives the request its members, and runs the steps that were
 *    composed for the method: each contract, each middleware, the schemas, the handler.
 * 4. A response that needs no wait is sent. `#finish()` awaits every other one: it turns
 *    an error into a response, by `onError` and the error format, and adds the headers
 *    of a deprecated method. The response to `HEAD` loses its body.
 *
 * @module
 */
import { type ErrorParts, InvalidRequest, problem } from "../errors.ts";
import { isMethod, METHODS } from "../methods.ts";
import { OWN_ERRORS } from "../own_errors.ts";
import { headResponse } from "../common/response.ts";
import {
  BadPathError,
  PathReader,
  type RoutedPath,
} from "../routing/pathname.ts";
import type { Match, RouteTree } from "../routing/tree.ts";
import { mergeLevels } from "../schema/declaration.ts";
import type { Handler } from "../types/request.ts";
import { Endpoint, type Route } from "./endpoint.ts";
import { recordOf, unbindRequest } from "../request/record.ts";
import type { Application, RequestHandler } from "../request/application.ts";
import {
  applicationParts,
  fixedError,
  optionsResponse,
  prepared,
} from "./operation.ts";
import { openingSocket } from "./upgrade.ts";

/** The functions that respond to the requests of an application. */
export interface Handlers {
  /** Responds to all requests. */
  readonly handle: RequestHandler;
  /**
   * Responds instead of `handle` while a server that shuts down waits for the bodies of
   * running requests.
   */
  readonly reject: RequestHandler;
}

type Responder = Pick<Endpoint, "respond">;

/** Creates the functions that respond to the requests of an application. */
export function createHandlers(
  tree: RouteTree<Route>,
  application: Application,
): Handlers {
  const paths = new PathReader();
  const { allowedHosts, errors, middleware, observer, onNotFound } =
    application;
  const { readPath = ({ url }: Request) => paths.read(url) } = application;

  /** Responds to a request without a route, inside the application's middleware. */
  function outside(
    handler: (request: Request) => Response | Promise<Response>,
  ): Responder {
    // Without code of the application, no request needs its members.
    return middleware.length === 0
      ? {
        respond(request, _match, info) {
          observer.began?.(request);
          return brief(handler(request), request, info);
        },
      }
      : endpointOf(handler, "option middleware");
  }

  function endpointOf(handler: Handler, file: string): Endpoint {
    return new Endpoint({
      ...applicationParts(application, file),
      pattern: "no route",
      handler,
      effective: NOTHING,
      security: undefined,
    });
  }

  const fixed = (error: ErrorParts) => outside(fixedError(error, errors));
  const wrongHost = fixed(
    new InvalidRequest("This server does not serve the Host of the request"),
  );
  const notImplemented = fixed(OWN_ERRORS.NotImplemented);
  const shuttingDown = fixed(OWN_ERRORS.ShuttingDown);
  const serverOptions = outside(
    prepared(() => optionsResponse(METHODS.join(", "))),
  );
  const noRoute = fixedError(OWN_ERRORS.NotFound, errors);
  const notFound = onNotFound === undefined ? outside(noRoute) : endpointOf(
    openingSocket(async (request) =>
      await onNotFound(request) ?? await noRoute(request)
    ),
    "onNotFound",
  );

  function unmatched(method: string, path: string): Responder {
    if (!isMethod(method)) return notImplemented;
    // `OPTIONS *` asks about the whole server (RFC 9110, 9.3.7); Deno passes it as
    // the path `/*`.
    return method === "OPTIONS" && path === "/*" ? serverOptions : notFound;
  }

  /** Responds to a request whose path cannot be read. */
  function unreadable(error: unknown): Responder {
    if (!(error instanceof BadPathError)) {
      return endpointOf(() => Promise.reject(error), "option rewrite");
    }
    const invalid = new InvalidRequest(error.message);
    return outside((request) =>
      errors?.respond(invalid, request) ?? problem(invalid)
    );
  }

  function route(
    request: Request,
    info: unknown,
  ): Response | Promise<Response> {
    let path: RoutedPath;
    let match: Match<Route> | undefined;
    try {
      path = readPath(request);
      match = tree.find(path);
    } catch (error) {
      return unreadable(error).respond(request, undefined, info);
    }
    const { method } = request;
    const endpoint = match?.value.endpoint(method) ??
      unmatched(method, path.text);
    return endpoint.respond(request, match, info);
  }

  const respond: RequestHandler = allowedHosts === undefined
    ? route
    : (request, info) =>
      allowedHosts.allows(request)
        ? route(request, info)
        : wrongHost.respond(request, undefined, info);

  /** Responds to a request that another application passed on. */
  async function respondToPassed(
    request: Request,
    info: unknown,
  ): Promise<Response> {
    const restore = unbindRequest(request);
    try {
      return await respond(request, info);
    } finally {
      restore();
    }
  }

  const handle: RequestHandler = (request, info) =>
    recordOf(request)?.operation === undefined
      ? respond(request, info)
      : respondToPassed(request, info);
  return {
    handle: observer.addTimes?.(handle) ?? handle,
    reject: (request, info) => shuttingDown.respond(request, undefined, info),
  };
}

/** Drops the body of a response to `HEAD` that no endpoint has finished. */
function brief(
  response: Response | Promise<Response>,
  { method }: Request,
  info: unknown,
): Response | Promise<Response> {
  return method !== "HEAD" ? response : Promise.resolve(response)
    .then((response) => headResponse(response, info !== undefined));
}

/** The contracts and schemas of requests that match no route. */
const NOTHING = mergeLevels([], { value: {}, file: "" });
