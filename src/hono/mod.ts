/**
 * Runs middleware of Hono in Bough: CORS, authentication, compression and more.
 *
 * @example CORS for a whole application
 * ```ts
 * import { Framework } from "@bough/framework";
 * import { honoMiddleware } from "@bough/framework/hono";
 * import { cors } from "hono/cors";
 *
 * const app = new Framework({
 *   apiDir: "examples/minimal/api",
 *   middleware: [honoMiddleware(cors({ origin: "https://example.com" }))],
 * });
 * const response = await app.fetch(new Request("http://localhost/api/hello"));
 * console.log(response.headers.get("access-control-allow-origin"));
 * ```
 *
 * @module
 */
import { STATUS_TEXT, type StatusCode } from "@std/http/status";
import { Context } from "hono";
import { replaceBody } from "../core/request/body.ts";
import { mediaType } from "../core/common/media_type.ts";
import { parseUrl } from "../core/common/values.ts";
import { errorResponse } from "../core/operation/failure.ts";
import { copyResponse } from "../core/common/response.ts";
import { HttpError } from "../core/errors.ts";
import { RequestState } from "../core/request/record.ts";
import type { Middleware, MiddlewareRequest } from "../core/types/request.ts";

/** A middleware of Hono, from either package: `npm:hono` or `jsr:@hono/hono`. */
export type HonoMiddleware = (
  context: never,
  next: () => Promise<void>,
) => unknown;

/** The values that Hono middleware has set on a request. */
const VALUES = new RequestState<Readonly<Record<string, unknown>>>(
  "values of Hono",
);

/**
 * Adapts a middleware of Hono, for a `middleware.ts` or the option `middleware`.
 *
 * The context has the same members as in Hono on Deno: `c.req` with its params, `c.env`
 * with the address of the client, `c.res` after `await next()`, and the values that
 * other middleware of Hono has set. An inner error does not reject `next()`: the error
 * becomes a response, and `c.error` is set. If the middleware throws an
 * `HTTPException`, Bough sends its response. A plain-text response, the default,
 * becomes a problem document.
 *
 * For an event stream, `c.res` has only a status and headers, since middleware such as
 * `etag()` would wait for the end of the body.
 *
 * @param middleware The middleware that a factory such as `cors()` returns.
 * @returns The middleware for Bough.
 *
 * @example A `middleware.ts`
 * ```ts
 * import { honoMiddleware } from "@bough/framework/hono";
 * import { bearerAuth } from "hono/bearer-auth";
 *
 * export default honoMiddleware(bearerAuth({ token: "only-an-example" }));
 * ```
 */
export function honoMiddleware(middleware: HonoMiddleware): Middleware {
  return async (request, next) => {
    // Each middleware has its own context. The values of the context apply to all inner
    // middleware of Hono, even if middleware of Bough runs in between.
    const context = createContext(request);
    receiveValues(context, request);
    let stream: ReadableStream<Uint8Array> | undefined;

    async function runInside(): Promise<void> {
      // `bodyLimit()` of Hono, for example, replaces the body with a counting stream.
      const { raw } = context.req;
      if (raw !== request) replaceBody(request, raw);
      shareValues(context, request);
      const response = await next().catch((error: unknown) => {
        context.error = error instanceof Error
          ? error
          : new Error(String(error));
        return errorResponse(error, request);
      });
      receiveValues(context, request);
      stream = isEventStream(response) ? response.body ?? undefined : undefined;
      setResponse(
        context,
        stream === undefined ? response : copyResponse(response, null),
      );
    }

    try {
      const result = await middleware(context as never, runInside);
      if (result instanceof Response && !context.finalized) {
        context.res = result;
      }
      const { res } = context;
      // The middleware did not replace the event stream, so restore the original body.
      if (stream !== undefined && res.body === null && isEventStream(res)) {
        return copyResponse(res, stream);
      }
    } catch (error) {
      if (!isHttpException(error)) throw error;
      const response = error.getResponse();
      if (isPlainError(response)) throw await httpErrorOf(response, error);
      const { body, status, headers } = response;
      return context.newResponse(body, { status: status as 401, headers });
    } finally {
      shareValues(context, request);
    }
    if (context.finalized) return context.res;
    throw new TypeError(
      "A middleware of Hono must call next() or return a Response",
    );
  };
}

function shareValues(context: Context, request: Request): void {
  VALUES.set(request, { ...VALUES.find(request), ...context.var });
}

function receiveValues(context: Context, request: Request): void {
  for (const [name, value] of Object.entries(VALUES.find(request) ?? {})) {
    context.set(name as never, value as never);
  }
}

/**
 * Returns the values that Hono middleware has set on a request with `c.set()`.
 *
 * @typeParam Values The values by name. Middleware modules export such types, for
 * example `RequestIdVariables` of `"hono/request-id"`.
 * @param request The request of a handler or of another middleware.
 * @returns The values; an empty object if no middleware of Hono ran before.
 *
 * @example Usage
 * ```ts
 * import { honoValues } from "@bough/framework/hono";
 * import type { RequestIdVariables } from "hono/request-id";
 *
 * function GET(request: Request): Response {
 *   const { requestId } = honoValues<RequestIdVariables>(request);
 *   return new Response(requestId);
 * }
 * ```
 */
export function honoValues<Values extends object = Record<string, unknown>>(
  request: Request,
): Readonly<Partial<Values>> {
  return (VALUES.find(request) ?? {}) as Partial<Values>;
}

function createContext(request: MiddlewareRequest): Context {
  const { params, method, pattern = "*" } = request;
  const path = parseUrl(request.url)?.pathname ?? "/";
  const route = { path: pattern, method, basePath: "/", handler: () => {} };
  return new Context(request, {
    path,
    env: request.info,
    matchResult: [[[[undefined, route], params]]] as never,
    notFoundHandler: () => new Response("Not Found", { status: 404 }),
  });
}

/** Sets the inner response, and adds the headers that the middleware has set. */
function setResponse(context: Context, response: Response): void {
  // Merging copies the response, and an upgrade response cannot be copied.
  const { headers } = context.res;
  if (response.status === 101 || headers.keys().next().done) {
    context.res = undefined;
  }
  context.res = response;
}

function isEventStream({ headers }: Response): boolean {
  return /^text\/event-stream\b/i.test(headers.get("content-type") ?? "");
}

/** Whether an error is an `HTTPException` of Hono, from either package. */
function isHttpException(
  error: unknown,
): error is Error & { getResponse(): Response } {
  return error instanceof Error && "getResponse" in error &&
    typeof error.getResponse === "function";
}

/** Whether a response is an error with plain text or without a content type. */
function isPlainError({ status, headers }: Response): boolean {
  const type = mediaType(headers.get("content-type") ?? "text/plain");
  return status >= 400 && status < 600 && type === "text/plain";
}

/** Creates the error of a problem document with the headers of a response. */
async function httpErrorOf(
  response: Response,
  cause: Error,
): Promise<HttpError> {
  const { status } = response;
  const headers = new Headers(response.headers);
  for (const name of ["content-type", "content-length"]) headers.delete(name);
  const body = await response.text();
  // A detail such as "Unauthorized" would repeat the title of the problem.
  const detail = body === "" || body === STATUS_TEXT[status as StatusCode]
    ? undefined
    : body;
  return new HttpError(status, detail, { headers, cause });
}
