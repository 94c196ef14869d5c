import { limitBody } from "../body/readers.ts";
import type { ErrorParts } from "../errors.ts";
import { isMethod, METHODS } from "../methods.ts";
import { assertUsable, withoutBody } from "../response.ts";
import { BadPathError, PathReader } from "../routing/pathname.ts";
import type { RouteTree } from "../routing/tree.ts";
import type { MiddlewareRequest, NotFoundHandler } from "../types/request.ts";
import { respondToError, respondToFailure } from "./failure.ts";
import { type Invoke, type Level, runChain } from "./middleware.ts";
import type { AllowedHosts } from "./origins.ts";
import {
  type Application,
  bindRequest,
  type BodyRules,
  type Place,
  recordOf,
  type RequestHandler,
  type RequestRecord,
} from "../record/record.ts";
import {
  fixedError,
  NOT_IMPLEMENTED,
  optionsResponse,
  prepared,
  type Route,
} from "./route.ts";
import { isUpgraded } from "./upgrade.ts";

/** The options of {@linkcode createHandler}. */
export interface HandlerOptions {
  /** The hosts that requests may name; all by default. */
  readonly allowedHosts: AllowedHosts | undefined;
  /** The middleware around all of the application, outermost first. */
  readonly middleware: readonly Required<Pick<Level, "run" | "file">>[];
  /** The rules for reading bodies if no route matches. */
  readonly bodyRules: BodyRules;
  /** The application's handler for paths that match no route. */
  readonly onNotFound: NotFoundHandler | undefined;
}

/** Creates the function that responds to all requests of an application. */
export function createHandler(
  tree: RouteTree<Route>,
  { allowedHosts, bodyRules, middleware, onNotFound }: HandlerOptions,
  application: Application,
): RequestHandler {
  const paths = new PathReader();
  const { tracer } = application;
  const notFound = fixedError(
    { status: 404, detail: "No route matches this path" },
    application,
  );
  const wrongHost = fixedError(
    badRequest("This server does not serve the Host of the request"),
    application,
  );
  const notImplemented = fixedError(NOT_IMPLEMENTED, application);
  const serverOptions = prepared(() => optionsResponse(METHODS.join(", ")));
  /** Whether code of the application receives requests that match no route. */
  const isSeen = middleware.length > 0 || onNotFound !== undefined;
  const outside: Place = {
    pattern: "no route",
    file: "option middleware",
    application,
    security: undefined,
    schema: {},
  };
  const notFoundPlace: Place = { ...outside, file: "onNotFound" };

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
      tracer?.traceRoute(request, match?.value.pattern.text);
      if (match === undefined) {
        const { text } = path;
        return respondOutside(
          request,
          info,
          () => respondUnmatched(request, text),
        );
      }
      return match.value.endpoint(request.method).respond(request, match, info);
    } catch (error) {
      if (!(error instanceof BadPathError)) throw error;
      const badPath = badRequest(error.message);
      return respondOutside(
        request,
        info,
        (request) => respondToError(badPath, request, outside),
      );
    }
  }

  /** Responds to a request without a route, inside the application's middleware. */
  function respondOutside(
    request: Request,
    info: unknown,
    inner: Invoke,
  ): Response | Promise<Response> {
    if (!isSeen) return inner(request as MiddlewareRequest);
    const record = bindRequest(request, undefined, { place: outside, info });
    const framed = info !== undefined;
    limitBody(request, record, { rules: bodyRules, framed });
    const bound = request as MiddlewareRequest;
    const response = middleware.length === 0
      ? inner(bound)
      : guard(bound, inner);
    record.isFresh = false;
    return response;
  }

  async function guard(
    request: MiddlewareRequest,
    inner: Invoke,
  ): Promise<Response> {
    try {
      return await runChain({ middleware, inner }, request);
    } catch (error) {
      return await respondToFailure(error, request, outside);
    }
  }

  function respondUnmatched(
    request: Request,
    path: string,
  ): Response | Promise<Response> {
    if (!isMethod(request.method)) return notImplemented(request);
    // `OPTIONS *` asks about the whole server (RFC 9110, 9.3.7); Deno passes it as
    // the path `/*`.
    if (request.method === "OPTIONS" && path === "/*") return serverOptions();
    return onNotFound === undefined
      ? notFound(request)
      : respondNotFound(request, onNotFound);
  }

  async function respondNotFound(
    request: Request,
    onNotFound: NotFoundHandler,
  ): Promise<Response> {
    const record = recordOf(request)!;
    record.place = notFoundPlace;
    try {
      const response = await onNotFound(request) ?? await notFound(request);
      if (response.status !== 101 && isUpgraded(request)) {
        throw new TypeError(
          "onNotFound replaced the upgrade response; return the response of the upgrade",
        );
      }
      return assertUsable(response);
    } catch (error) {
      return await respondToFailure(error, request, notFoundPlace);
    } finally {
      record.place = outside;
    }
  }

  async function respondHead(request: Request): Promise<Response> {
    return withoutBody(await respond(request, undefined));
  }

  const handleOnce: RequestHandler = (request, info) =>
    info !== undefined || request.method !== "HEAD"
      ? respond(request, info)
      : respondHead(request);

  /**
   * Responds to a request that another application passed on, then restores the place
   * of the request in that application.
   */
  async function handlePassed(
    request: Request,
    info: unknown,
    record: RequestRecord,
  ): Promise<Response> {
    const { place } = record;
    try {
      return await handleOnce(request, info);
    } finally {
      // The outer application handles later failures, and may still run guards.
      record.place = place;
      Object.assign(request, { security: place?.security });
    }
  }

  /** Keeps a server that shuts down from cutting off the body of a running request. */
  async function handleReading(
    response: Promise<Response>,
    record: RequestRecord,
  ): Promise<Response> {
    application.connections.beginReading(record);
    try {
      return await response;
    } finally {
      application.connections.endReading(record);
    }
  }

  const handle: RequestHandler = (request, info) => {
    const passed = recordOf(request);
    if (passed?.place !== undefined) return handlePassed(request, info, passed);
    const response = handleOnce(request, info);
    const record = info === undefined || response instanceof Response
      ? undefined
      : recordOf(request);
    return record === undefined || !mayReadBody(record)
      ? response
      : handleReading(response as Promise<Response>, record);
  };
  return application.timer?.addHeader(handle) ?? handle;
}

function mayReadBody({ body, deferredBody }: RequestRecord): boolean {
  return deferredBody !== undefined || body?.isRead === false;
}

function badRequest(detail: string): ErrorParts {
  return { status: 400, detail, isInvalid: true };
}
