import { isMethod, METHODS } from "../method.ts";
import {
  BadPathError,
  PathReader,
  type RoutedPath,
} from "../routing/pathname.ts";
import type { RoutePattern } from "../routing/pattern.ts";
import type { RouteTree } from "../routing/tree.ts";
import {
  type Endpoints,
  notImplementedAnswer,
  optionsAnswer,
  prepared,
} from "./endpoints.ts";
import { type ErrorHandler, respondToFailure } from "./failure.ts";
import type { AllowedHosts } from "./host.ts";
import { answerGuarded } from "./guarded.ts";
import {
  bindForMiddleware,
  compose,
  type MiddlewareRequest,
  type PlacedMiddleware,
} from "./middleware.ts";
import { problem } from "./problem.ts";
import { bindUnmatched } from "./request.ts";
import { assertUsable, withoutBody } from "./response.ts";
import { tellTiming } from "./server_timing.ts";
import { isTraced, traceRoute } from "./telemetry.ts";

/** What the tree finds for a path. */
export interface Route {
  /** The URL pattern of the route. */
  readonly pattern: RoutePattern;
  /** The route file, for the log. */
  readonly file: string;
  /** The folders that the file stands in, from `apiDir` down. */
  readonly folders: readonly string[];
  /** The middleware around it, outermost first. */
  readonly middleware: readonly PlacedMiddleware[];
  /** Its endpoints, as soon as the route file is imported. */
  endpoints: Endpoints | undefined;
  /** Imports the route file, if that was put off to the first request. */
  readonly load?: () => Promise<Endpoints>;
}

/**
 * Answers a path that no route matches, or leaves that to Bough.
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

/** How requests are answered, apart from the routes. */
export interface HandlerOptions {
  /** The hosts that requests may be sent to; all by default. */
  readonly allowedHosts?: AllowedHosts | undefined;
  /** The middleware around all of the application, outermost first. */
  readonly middleware: readonly PlacedMiddleware[];
  /** Whether answers tell how long the steps of their requests took. */
  readonly serverTiming?: boolean;
  /** The application's own error handler. */
  readonly onError?: ErrorHandler | undefined;
  /** The application's own answer to paths without a route. */
  readonly onNotFound?: NotFoundHandler | undefined;
}

/**
 * Answers one request. `info` is what a server hands over beside the request;
 * without it, the call comes from within the process.
 */
export type RequestHandler = (
  request: Request,
  info?: unknown,
) => Response | Promise<Response>;

/** Makes the request half of the application from its tree of routes. */
export function createHandler(
  tree: RouteTree<Route>,
  options: HandlerOptions,
): RequestHandler {
  const { allowedHosts, middleware, onError, onNotFound } = options;
  const paths = new PathReader();
  const traced = isTraced();
  const notFound = prepared(() =>
    problem(404, { detail: "No route matches this path" })
  );
  const wrongHost = prepared(() =>
    problem(400, {
      detail: "This server does not answer for the Host of the request",
    })
  );
  const serverOptions = prepared(() => optionsAnswer(METHODS.join(", ")));
  const outside = compose(middleware, (request: OutsideRequest) => {
    return request[INNER]!();
  });

  function answer(
    request: Request,
    info: unknown,
  ): Response | Promise<Response> {
    if (allowedHosts !== undefined && !allowedHosts.allows(request)) {
      return answerOutside(request, info, wrongHost);
    }
    try {
      const path = paths.read(request.url);
      const route = tree.find(path);
      if (traced) traceRoute(methodOf(request), route?.pattern.text);
      if (route === undefined) {
        const { text } = path;
        return answerOutside(request, info, () => unmatched(request, text));
      }
      return route.endpoints === undefined
        ? answerLoading(request, route, { path, info })
        : route.endpoints.get(request.method)(request, path, info);
    } catch (error) {
      const refusal = badPathAnswer(error);
      return answerOutside(request, info, () => refusal);
    }
  }

  /** Answers what no route answers, through the middleware of the application. */
  function answerOutside(
    request: Request,
    info: unknown,
    inner: () => Response | Promise<Response>,
  ): Response | Promise<Response> {
    if (middleware.length === 0) return inner();
    const bound: OutsideRequest = bindForMiddleware(
      bindUnmatched(request),
      undefined,
      info,
    );
    bound[INNER] = inner;
    const place = { pattern: "no route", file: "option middleware" };
    return answerGuarded(outside, bound, { place, onError });
  }

  /** Waits for the import of the route file, as the first request has to. */
  async function answerLoading(
    request: Request,
    route: Route,
    { path, info }: { readonly path: RoutedPath; readonly info: unknown },
  ): Promise<Response> {
    let endpoints: Endpoints;
    try {
      endpoints = await route.load!();
    } catch (error) {
      const place = { pattern: route.pattern.text, file: route.file };
      const failing = { place, onError };
      return answerOutside(
        request,
        info,
        () => respondToFailure(error, request, failing),
      );
    }
    try {
      // Other searches have written captures in the meantime.
      tree.find(path);
      return await endpoints.get(request.method)(request, path, info);
    } catch (error) {
      const refusal = badPathAnswer(error);
      return answerOutside(request, info, () => refusal);
    }
  }

  function unmatched(
    request: Request,
    path: string,
  ): Response | Promise<Response> {
    if (!isMethod(request.method)) return notImplementedAnswer();
    // `OPTIONS *` asks about the server as a whole (RFC 9110, 9.3.7); Deno
    // hands it over as the path `/*`.
    if (request.method === "OPTIONS" && path === "/*") return serverOptions();
    return onNotFound === undefined
      ? notFound()
      : answerNotFound(request, onNotFound);
  }

  async function answerNotFound(
    request: Request,
    onNotFound: NotFoundHandler,
  ): Promise<Response> {
    try {
      const answer = await onNotFound(request);
      return answer === undefined ? notFound() : assertUsable(answer);
    } catch (error) {
      const place = { pattern: "no route", file: "onNotFound" };
      return respondToFailure(error, request, { place, onError });
    }
  }

  async function answerHead(request: Request): Promise<Response> {
    return withoutBody(await answer(request, undefined));
  }

  const handle: RequestHandler = (request, info) => {
    return info !== undefined || request.method !== "HEAD"
      ? answer(request, info)
      : answerHead(request);
  };
  return options.serverTiming ? tellTiming(handle) : handle;
}

/** A method by a name that cannot be made up, as telemetry asks for. */
function methodOf({ method }: Request): string {
  return isMethod(method) ? method : "HTTP";
}

/** What the middleware of the application is put around where no route is. */
const INNER = Symbol("inner");

type OutsideRequest = MiddlewareRequest & {
  [INNER]?: () => Response | Promise<Response>;
};

function badPathAnswer(error: unknown): Response {
  if (!(error instanceof BadPathError)) throw error;
  return problem(400, { detail: error.message });
}
