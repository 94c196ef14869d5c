import { type ErrorParts, InvalidRequest, problem } from "../errors.ts";
import { isMethod, METHODS } from "../methods.ts";
import { OWN_ERRORS } from "../own_errors.ts";
import { assertUsable, headResponse } from "../common/response.ts";
import {
  BadPathError,
  PathReader,
  type RoutedPath,
} from "../routing/pathname.ts";
import type { Match, RouteTree } from "../routing/tree.ts";
import { mergeLevels } from "../schema/effective_schema.ts";
import type { Handler, NotFoundHandler } from "../types/request.ts";
import { Endpoint } from "./endpoint.ts";
import { respondToFailure } from "./failure.ts";
import type { AllowedHosts } from "../request/origins.ts";
import {
  recordOf,
  type RequestRecord,
  unbindRequest,
} from "../request/record.ts";
import type {
  Application,
  BodyRules,
  LocatedMiddleware,
  Operation,
  RequestHandler,
} from "../request/application.ts";
import { fixedError, optionsResponse, prepared } from "./operation.ts";
import type { Route } from "./endpoint.ts";
import { isUpgraded } from "./upgrade.ts";

/** The options of {@linkcode createHandler}. */
export interface HandlerOptions {
  /** The hosts that requests may name; all by default. */
  readonly allowedHosts: AllowedHosts | undefined;
  /** The middleware around all of the application, outermost first. */
  readonly middleware: readonly Required<
    Pick<LocatedMiddleware, "run" | "file">
  >[];
  /** The rules for reading bodies if no route matches. */
  readonly bodyRules: BodyRules;
  /** The application's handler for paths that match no route. */
  readonly onNotFound: NotFoundHandler | undefined;
  /** Whether responses have the header `Server-Timing`. */
  readonly serverTiming: boolean;
}

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

/** Creates the functions that respond to the requests of an application. */
export function createHandlers(
  tree: RouteTree<Route>,
  { allowedHosts, bodyRules, middleware, onNotFound, serverTiming }:
    HandlerOptions,
  application: Application,
): Handlers {
  const paths = new PathReader();
  const { connections, errors, timer, tracer } = application;
  const { readPath = ({ url }: Request) => paths.read(url) } = application;

  /** Responds to a request without a route, inside the application's middleware. */
  function outside(handler: Handler): Pick<Endpoint, "respond"> {
    // Without code of the application, no request needs its members.
    return middleware.length === 0 && onNotFound === undefined
      ? { respond: (request) => handler(request as never) }
      : endpointOf(handler, "option middleware");
  }

  function endpointOf(handler: Handler, file: string): Endpoint {
    return new Endpoint({
      pattern: "no route",
      file,
      handler,
      effective: NOTHING,
      middleware,
      security: undefined,
      errors,
      bodyRules,
      invalidParams: 400,
      // `Server-Timing` has the steps of routes only.
      application: { ...application, timer: undefined },
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
  const notFound = outside(
    onNotFound === undefined ? noRoute : calling(onNotFound, noRoute),
  );

  function unmatched(
    method: string,
    path: string,
  ): Pick<Endpoint, "respond"> {
    if (!isMethod(method)) return notImplemented;
    // `OPTIONS *` asks about the whole server (RFC 9110, 9.3.7); Deno passes it as
    // the path `/*`.
    return method === "OPTIONS" && path === "/*" ? serverOptions : notFound;
  }

  function badPath(detail: string): Pick<Endpoint, "respond"> {
    const error = new InvalidRequest(detail);
    return outside((request) =>
      errors?.respond(error, request) ?? problem(error)
    );
  }

  /** Responds to a request that another application passed on. */
  async function handlePassed(
    request: Request,
    info: unknown,
  ): Promise<Response> {
    const restore = unbindRequest(request);
    try {
      return await handle(request, info, true);
    } finally {
      restore();
    }
  }

  /** Keeps a server that shuts down from cutting off the body of a running request. */
  async function handleReading(
    response: Promise<Response>,
    record: RequestRecord,
  ): Promise<Response> {
    connections.beginReading(record);
    try {
      return await response;
    } finally {
      connections.endReading(record);
    }
  }

  function handle(
    request: Request,
    info: unknown,
    isPassedOn = false,
  ): Response | Promise<Response> {
    if (!isPassedOn && recordOf(request)?.operation !== undefined) {
      return handlePassed(request, info);
    }
    const { method } = request;
    let match: Match<Route> | undefined;
    let path: RoutedPath | undefined;
    let endpoint: Pick<Endpoint, "respond">;
    if (allowedHosts !== undefined && !allowedHosts.allows(request)) {
      endpoint = wrongHost;
    } else {
      try {
        path = readPath(request);
        match = tree.find(path);
        tracer?.traceRoute(request, match?.value.pattern.text);
        endpoint = match?.value.endpoint(method) ??
          unmatched(method, path.text);
      } catch (error) {
        if (error instanceof BadPathError) endpoint = badPath(error.message);
        else if (path === undefined) {
          endpoint = endpointOf(() => Promise.reject(error), "option rewrite");
        } else throw error;
      }
    }
    const response = endpoint.respond(request, match, info);
    if (method === "HEAD") return finishHead(response, info !== undefined);
    if (info === undefined || isPassedOn || response instanceof Response) {
      return response;
    }
    const record = recordOf(request);
    return record === undefined || !mayReadBody(record)
      ? response
      : handleReading(response, record);
  }
  return {
    handle: serverTiming ? timer!.addHeader(handle) : handle,
    reject: (request, info) => shuttingDown.respond(request, undefined, info),
  };
}

/**
 * Calls `onNotFound`. Its errors name it instead of the middleware around it.
 *
 * @param otherwise Responds if `onNotFound` returns nothing.
 */
function calling(
  onNotFound: NotFoundHandler,
  otherwise: (request: Request) => Response | Promise<Response>,
): Handler {
  let named: Operation | undefined;
  return async (request) => {
    const record = recordOf(request)!;
    const around = record.operation!;
    record.operation = named ??= { ...around, file: "onNotFound" };
    try {
      const response = await onNotFound(request) ?? await otherwise(request);
      if (response.status !== 101 && isUpgraded(request)) {
        throw new TypeError(
          "onNotFound replaced the upgrade response; return the response of the upgrade",
        );
      }
      return assertUsable(response);
    } catch (error) {
      return await respondToFailure(error, request);
    } finally {
      record.operation = around;
    }
  };
}

async function finishHead(
  responding: Response | Promise<Response>,
  isServed: boolean,
): Promise<Response> {
  return await headResponse(await responding, isServed);
}

/** Whether a request may still read its body: its route, or the body, is arriving. */
function mayReadBody({ operation, body }: RequestRecord): boolean {
  return operation === undefined || body?.isRead === false;
}

/** The contracts and schemas of requests that match no route. */
const NOTHING = mergeLevels([], { value: {}, file: "" });
