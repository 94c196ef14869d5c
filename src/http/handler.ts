import { isMethod, METHODS } from "../method.ts";
import { BadPathError, PathReader } from "../routing/pathname.ts";
import type { RouteTree } from "../routing/tree.ts";
import { type BodyAccess, limitBody } from "./body/readers.ts";
import type { BodyRules } from "./body/rules.ts";
import {
  notImplementedResponse,
  optionsResponse,
  prepared,
} from "./endpoints.ts";
import { type ErrorHandler, respondToFailure } from "./failure.ts";
import type { AllowedHosts } from "./host.ts";
import { respondGuarded } from "./guarded.ts";
import {
  bindForMiddleware,
  compose,
  type Invoke,
  type PlacedMiddleware,
} from "./middleware.ts";
import { problem } from "./problem.ts";
import { bindUnmatched } from "./request.ts";
import { assertUsable, withoutBody } from "./response.ts";
import type { Route } from "./route.ts";
import { tellTiming } from "./server_timing.ts";
import { isTraced, traceRoute } from "./telemetry.ts";

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
  /** How bodies are read where there is no route. */
  readonly bodyRules: BodyRules;
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
  const { allowedHosts, bodyRules, middleware, onError, onNotFound } = options;
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
  const serverOptions = prepared(() => optionsResponse(METHODS.join(", ")));
  const framed: BodyAccess = { rules: bodyRules, framed: true };
  const counted: BodyAccess = { rules: bodyRules, framed: false };

  function answer(
    request: Request,
    info: unknown,
  ): Response | Promise<Response> {
    if (allowedHosts !== undefined && !allowedHosts.allows(request)) {
      return respondOutside(request, info, wrongHost);
    }
    try {
      const path = paths.read(request.url);
      const route = tree.find(path);
      if (traced) traceRoute(methodOf(request), route?.pattern.text);
      if (route === undefined) {
        const { text } = path;
        return respondOutside(request, info, () => unmatched(request, text));
      }
      return route.endpoints.get(request.method).respond(request, path, info);
    } catch (error) {
      const refusal = badPathAnswer(error);
      return respondOutside(request, info, () => refusal);
    }
  }

  /** Responds where there is no route, through the middleware of the application. */
  function respondOutside(
    request: Request,
    info: unknown,
    inner: Invoke,
  ): Response | Promise<Response> {
    const bound = bindForMiddleware(bindUnmatched(request), undefined, info);
    limitBody(bound, info === undefined ? counted : framed);
    if (middleware.length === 0) return inner(bound);
    const place = { pattern: "no route", file: "option middleware" };
    const guarded = compose(middleware, inner);
    return respondGuarded(guarded, bound, { place, onError });
  }

  function unmatched(
    request: Request,
    path: string,
  ): Response | Promise<Response> {
    if (!isMethod(request.method)) return notImplementedResponse();
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

function badPathAnswer(error: unknown): Response {
  if (!(error instanceof BadPathError)) throw error;
  return problem(400, { detail: error.message });
}
