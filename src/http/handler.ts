import { isMethod, METHODS } from "../method.ts";
import {
  BadPathError,
  PathReader,
  type RoutedPath,
} from "../routing/pathname.ts";
import type { RoutePattern } from "../routing/pattern.ts";
import type { RouteTree } from "../routing/tree.ts";
import { type Endpoints, optionsAnswer } from "./endpoint.ts";
import { type ErrorHandler, respondToFailure } from "./failure.ts";
import type { AllowedHosts } from "./host.ts";
import { problem } from "./problem.ts";
import { assertUsable, withoutBody } from "./response.ts";

/** What the tree finds for a path. */
export interface Route {
  /** The URL pattern of the route. */
  readonly pattern: RoutePattern;
  /** The route file, for the log. */
  readonly file: string;
  /** The folders that the file stands in, from `apiDir` down. */
  readonly folders: readonly string[];
  /** Its endpoints, as soon as the route file is imported. */
  endpoints: Endpoints | undefined;
  /** Imports the route file, if that was put off to the first request. */
  readonly load?: () => Promise<Endpoints>;
}

/** Answers a path that no route matches, or leaves that to Bough. */
export type NotFoundHandler = (
  request: Request,
) => Response | undefined | void | Promise<Response | undefined | void>;

/** How requests are answered, apart from the routes. */
export interface HandlerOptions {
  /** The hosts that requests may be sent to; all by default. */
  readonly allowedHosts?: AllowedHosts | undefined;
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
  { allowedHosts, onError, onNotFound }: HandlerOptions,
): RequestHandler {
  const paths = new PathReader();
  // Prepared answers are cloned: that costs a twentieth of making a new one.
  const notFound = problem(404, { detail: "No route matches this path" });
  const notImplemented = problem(501, {
    detail: `This server implements ${METHODS.join(", ")}`,
  });
  const wrongHost = problem(400, {
    detail: "This server does not answer for the Host of the request",
  });
  const serverOptions = optionsAnswer(METHODS.join(", "));

  function answer(
    request: Request,
    framed: boolean,
  ): Response | Promise<Response> {
    if (allowedHosts !== undefined && !allowedHosts.allows(request)) {
      return wrongHost.clone();
    }
    try {
      const path = paths.read(request.url);
      const route = tree.find(path);
      if (route === undefined) return answerUnmatched(request, path.text);
      if (route.endpoints === undefined) {
        return answerLoading(request, route, path, framed);
      }
      return answerMatched(request, route.endpoints, path, framed);
    } catch (error) {
      return answerBadPath(error);
    }
  }

  function answerMatched(
    request: Request,
    endpoints: Endpoints,
    path: RoutedPath,
    framed: boolean,
  ): Response | Promise<Response> {
    const { method } = request;
    const endpoint = endpoints.get(method);
    if (endpoint !== undefined) return endpoint(request, path, framed);
    return isMethod(method) ? endpoints.notAllowed() : notImplemented.clone();
  }

  /** Waits for the import of the route file, as the first request has to. */
  async function answerLoading(
    request: Request,
    route: Route,
    path: RoutedPath,
    framed: boolean,
  ): Promise<Response> {
    let endpoints;
    try {
      endpoints = await route.load!();
    } catch (error) {
      const place = { pattern: route.pattern.text, file: route.file };
      return respondToFailure(error, request, { place, onError });
    }
    try {
      // Other searches have written captures in the meantime.
      tree.find(path);
      return await answerMatched(request, endpoints, path, framed);
    } catch (error) {
      return answerBadPath(error);
    }
  }

  function answerUnmatched(
    request: Request,
    path: string,
  ): Response | Promise<Response> {
    if (!isMethod(request.method)) return notImplemented.clone();
    // `OPTIONS *` asks about the server as a whole (RFC 9110, 9.3.7); Deno
    // hands it over as the path `/*`.
    if (request.method === "OPTIONS" && path === "/*") {
      return serverOptions.clone();
    }
    return onNotFound === undefined
      ? notFound.clone()
      : answerNotFound(request, onNotFound);
  }

  async function answerNotFound(
    request: Request,
    onNotFound: NotFoundHandler,
  ): Promise<Response> {
    try {
      const answer = await onNotFound(request);
      return answer === undefined ? notFound.clone() : assertUsable(answer);
    } catch (error) {
      const place = { pattern: "no route", file: "onNotFound" };
      return respondToFailure(error, request, { place, onError });
    }
  }

  async function answerHead(request: Request): Promise<Response> {
    return withoutBody(await answer(request, false));
  }

  return function handle(request, info) {
    const framed = info !== undefined;
    return framed || request.method !== "HEAD"
      ? answer(request, framed)
      : answerHead(request);
  };
}

function answerBadPath(error: unknown): Response {
  if (!(error instanceof BadPathError)) throw error;
  return problem(400, { detail: error.message });
}
