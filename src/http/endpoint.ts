import type { Method } from "../method.ts";
import type { RoutedPath } from "../routing/pathname.ts";
import type { RoutePattern } from "../routing/pattern.ts";
import { type BodyAccess, limitBody } from "./body/readers.ts";
import type { BodyRules } from "./body/rules.ts";
import {
  checkResponses,
  type ResponseValidation,
} from "./validation/check_response.ts";
import {
  type ErrorHandler,
  type Failing,
  respondToFailure,
} from "./failure.ts";
import { respondGuarded } from "./guarded.ts";
import {
  bindForMiddleware,
  compose,
  type Invoke,
  type MiddlewareRequest,
  type PlacedMiddleware,
} from "./middleware.ts";
import { bindRequest, type FrameworkRequest, type Handler } from "./request.ts";
import { assertUsable } from "./response.ts";
import { type MethodSchema, SCHEMA_PARTS } from "./validation/schema.ts";
import { stepMaker } from "./server_timing.ts";
import { validate } from "./validation/validate.ts";

/** What one method of a route is responded to with. */
export interface Endpoint {
  /**
   * Responds to a request whose path the route matched.
   *
   * @param info What the server handed over beside the request. With it, the body
   * is cut at its `Content-Length`; without it, the call is from this process.
   */
  readonly respond: (
    request: Request,
    path: RoutedPath,
    info: unknown,
  ) => Response | Promise<Response>;
  /** Does what lies inside the middleware of the route; it may throw. */
  readonly invoke: Invoke;
}

/** What the endpoints of a route have in common. */
export interface EndpointParts {
  /** The URL pattern of the route. */
  readonly pattern: RoutePattern;
  /** The route file, for the log. */
  readonly file: string;
  /** How bodies are read, or a function that imports the route to know it. */
  readonly bodyRules: BodyRules | (() => Promise<BodyRules>);
  /** The middleware around the route, outermost first. */
  readonly middleware: readonly PlacedMiddleware[];
  /** What to do about a response that does not fit its schema. */
  readonly validateResponses?: ResponseValidation;
  /** Whether to measure the steps of each request. */
  readonly serverTiming?: boolean;
  /** The application's own error handler. */
  readonly onError?: ErrorHandler | undefined;
}

/** A handler, and what is checked around it. */
export interface HandlerParts {
  /** The handler. */
  readonly handler: Handler;
  /** The schemas that its requests must fit, outermost first. */
  readonly schemas: readonly MethodSchema[];
  /** Those that its responses must fit. */
  readonly response: MethodSchema["response"];
}

/**
 * Prepares the endpoint of a handler, so that a route without schema or
 * middleware pays for neither.
 */
export function createHandlerEndpoint(
  method: Method,
  { handler: declared, schemas, response }: HandlerParts,
  parts: EndpointParts,
): Endpoint {
  const { pattern, file, validateResponses = false } = parts;
  const { measured } = stepMaker(parts.serverTiming);
  const place = `${pattern.text} (${file})`;
  const handler = measured(
    "handler",
    checkResponses(declared, response, {
      validation: validateResponses,
      place,
    }),
  );
  const checks = schemas.filter(checksAnything);
  if (checks.length === 0) return createEndpoint(handler, parts, method);
  const check = measured("validate", validateAll(checks));
  return createEndpoint(
    async (request) => {
      await check(request);
      return handler(request);
    },
    parts,
    method,
  );
}

/**
 * Prepares an endpoint: what the middleware of a route is put around, and what its
 * failures come to.
 *
 * @param method Where the method is known that the endpoint is for. The server
 * gives GET and HEAD no body, so that their readers need no limit.
 */
export function createEndpoint(
  invoke: Invoke,
  parts: EndpointParts,
  method?: Method,
): Endpoint {
  const { pattern, bodyRules, middleware } = parts;
  const { measured, routed } = stepMaker(parts.serverTiming);
  const failing = failingOf(parts);
  const hasBody = method !== "GET" && method !== "HEAD";
  const framed: BodyAccess = { rules: bodyRules, framed: true };
  const counted: BodyAccess = { rules: bodyRules, framed: false };

  /** Waits for what is no response yet, be it a promise or a mistake. */
  async function settle(
    response: unknown,
    request: FrameworkRequest,
  ): Promise<Response> {
    try {
      return assertUsable(await response);
    } catch (error) {
      return respondToFailure(error, request, failing);
    }
  }

  function respondPlain(request: FrameworkRequest) {
    try {
      const response: unknown = invoke(request as MiddlewareRequest);
      return response instanceof Response
        ? assertUsable(response)
        : settle(response, request);
    } catch (error) {
      return respondToFailure(error, request, failing);
    }
  }

  const guarded = measured(
    "middleware",
    compose(middleware, async (request) => assertUsable(await invoke(request))),
  );

  const respond = routed((request, path, info) => {
    const bound = bindRequest(request, path);
    if (hasBody) limitBody(bound, info === undefined ? counted : framed);
    return middleware.length === 0 ? respondPlain(bound) : respondGuarded(
      guarded,
      bindForMiddleware(bound, pattern.text, info),
      failing,
    );
  });
  return { respond, invoke };
}

function checksAnything(schema: MethodSchema): boolean {
  return SCHEMA_PARTS.some((part) => schema[part] !== undefined);
}

/** Checks a request against several schemas; the later ones' outputs win. */
function validateAll(
  schemas: readonly MethodSchema[],
): (request: FrameworkRequest) => Promise<void> {
  const [first, ...others] = schemas;
  if (others.length === 0) return (request) => validate(request, first!);
  return async (request) => {
    let validated = {};
    for (const schema of schemas) {
      await validate(request, schema);
      validated = { ...validated, ...request.validated };
    }
    request.validated = validated;
  };
}

function failingOf({ pattern, file, onError }: EndpointParts): Failing {
  return { place: { pattern: pattern.text, file }, onError };
}
