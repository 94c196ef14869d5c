import type { BodyRules } from "../body/read.ts";
import { type BodyAccess, limitBody } from "../body/readers.ts";
import { problem } from "../errors.ts";
import { isMethod, METHODS } from "../methods.ts";
import { assertUsable, withoutBody } from "../response.ts";
import { BadPathError, PathReader } from "../routing/pathname.ts";
import type { RouteTree } from "../routing/tree.ts";
import { bindUnmatched, type MiddlewareRequest } from "../types/request.ts";
import {
  notImplementedResponse,
  optionsResponse,
  prepared,
  type Route,
} from "./endpoints.ts";
import { respondThroughMiddleware, respondToFailure } from "./failure.ts";
import { compose, type Invoke, type PlacedMiddleware } from "./middleware.ts";
import type { AllowedHosts } from "./origins.ts";
import { type Application, liveOutside, setLiveRoute } from "./record.ts";
import { withServerTiming } from "./server_timing.ts";
import { isTraced, traceRoute } from "./telemetry.ts";
import { isUpgraded } from "./upgrade.ts";

/**
 * Responds to a path that no route matches, or returns nothing: then Bough
 * responds with 404.
 *
 * @example Usage
 * ```ts
 * import { Framework, type NotFoundHandler } from "@bough/framework";
 *
 * const onNotFound: NotFoundHandler = (request) =>
 *   request.url.endsWith("/favicon.ico")
 *     ? new Response(null, { status: 204 })
 *     : undefined;
 * new Framework({ apiDir: "examples/minimal/api", onNotFound });
 * ```
 */
export type NotFoundHandler = (
  request: Request,
) => Response | undefined | void | Promise<Response | undefined | void>;

/** What a request handler needs beside the routes. */
export interface HandlerOptions extends Application {
  /** The hosts that requests may name; all by default. */
  readonly allowedHosts: AllowedHosts | undefined;
  /** The middleware around all of the application, outermost first. */
  readonly middleware: readonly PlacedMiddleware[];
  /** The rules for reading bodies where no route matches. */
  readonly bodyRules: BodyRules;
  /** The application's own handler of paths without a route. */
  readonly onNotFound: NotFoundHandler | undefined;
}

/**
 * Responds to one request. A server passes `info`, such as the address of the
 * client; without it, the call comes from this process.
 */
export type RequestHandler = (
  request: Request,
  info?: unknown,
) => Response | Promise<Response>;

/** Creates the function that responds to all requests of an application. */
export function createHandler(
  tree: RouteTree<Route>,
  options: HandlerOptions,
): RequestHandler {
  const { allowedHosts, bodyRules, middleware, onError, onNotFound } = options;
  const paths = new PathReader();
  const traced = isTraced();
  const notFound = prepared(() =>
    problem(404, { detail: "No route matches this path" })
  );
  const wrongHost = prepared(() =>
    problem(400, {
      detail: "This server does not serve the Host of the request",
    })
  );
  const serverOptions = prepared(() => optionsResponse(METHODS.join(", ")));
  const framed: BodyAccess = { rules: bodyRules, framed: true };
  const counted: BodyAccess = { rules: bodyRules, framed: false };
  /** Whether any code of the application sees a request that no route matches. */
  const isSeen = middleware.length > 0 || onNotFound !== undefined;
  const outside = liveOutside("no route", options);

  function respond(
    request: Request,
    info: unknown,
  ): Response | Promise<Response> {
    if (allowedHosts !== undefined && !allowedHosts.allows(request)) {
      return respondOutside(request, info, wrongHost);
    }
    try {
      const path = paths.read(request.url);
      const match = tree.find(path);
      if (traced) traceRoute(methodOf(request), match?.value.pattern.text);
      if (match === undefined) {
        const { text } = path;
        return respondOutside(
          request,
          info,
          () => respondUnmatched(request, text),
        );
      }
      const { endpoints } = match.value;
      return endpoints.get(request.method).respond(request, match, info);
    } catch (error) {
      const response = badPathResponse(error);
      return respondOutside(request, info, () => response);
    }
  }

  /** Responds where no route does, behind the application's middleware. */
  function respondOutside(
    request: Request,
    info: unknown,
    inner: Invoke,
  ): Response | Promise<Response> {
    if (!isSeen) return inner(request as MiddlewareRequest);
    const bound = bindUnmatched(request, info);
    limitBody(bound, info === undefined ? counted : framed);
    setLiveRoute(bound, outside);
    if (middleware.length === 0) return inner(bound);
    const place = { pattern: "no route", file: "option middleware" };
    const guarded = compose(middleware, inner);
    return respondThroughMiddleware(guarded, bound, { place, onError });
  }

  function respondUnmatched(
    request: Request,
    path: string,
  ): Response | Promise<Response> {
    if (!isMethod(request.method)) return notImplementedResponse();
    // `OPTIONS *` asks about the server as a whole (RFC 9110, 9.3.7); Deno
    // hands it over as the path `/*`.
    if (request.method === "OPTIONS" && path === "/*") return serverOptions();
    return onNotFound === undefined
      ? notFound()
      : respondNotFound(request, onNotFound);
  }

  async function respondNotFound(
    request: Request,
    onNotFound: NotFoundHandler,
  ): Promise<Response> {
    try {
      const response = await onNotFound(request) ?? notFound();
      if (response.status !== 101 && isUpgraded(request)) {
        throw new TypeError(
          "onNotFound returned another response in place of an upgrade; return that of the upgrade",
        );
      }
      return assertUsable(response);
    } catch (error) {
      const place = { pattern: "no route", file: "onNotFound" };
      return respondToFailure(error, request, { place, onError });
    }
  }

  async function respondHead(request: Request): Promise<Response> {
    return withoutBody(await respond(request, undefined));
  }

  const handle: RequestHandler = (request, info) => {
    return info !== undefined || request.method !== "HEAD"
      ? respond(request, info)
      : respondHead(request);
  };
  return options.serverTiming ? withServerTiming(handle) : handle;
}

/**
 * The method for telemetry: `HTTP` stands for all unknown ones, since a client
 * could send a new name with every request.
 */
function methodOf({ method }: Request): string {
  return isMethod(method) ? method : "HTTP";
}

function badPathResponse(error: unknown): Response {
  if (!(error instanceof BadPathError)) throw error;
  return problem(400, { detail: error.message });
}
