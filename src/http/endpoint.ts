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
  type ErrorContext,
  type ErrorHandler,
  respondToFailure,
} from "./failure.ts";
import { respondThroughMiddleware } from "./error_response.ts";
import { compose, type PlacedMiddleware } from "./middleware.ts";
import { bindRequest, type FrameworkRequest, type Handler } from "./request.ts";
import { assertUsable } from "./response.ts";
import { type MethodSchema, SCHEMA_PARTS } from "./validation/schema.ts";
import { stepTimer } from "./server_timing.ts";
import { validate } from "./validation/validate.ts";

/** Responds to one method of a route. All requests share it. */
export interface Endpoint {
  /**
   * Responds to a request whose path the route matched.
   *
   * @param info What the server passed along with the request. The server cuts
   * the body at its `Content-Length`. Without `info`, the call comes from this
   * process, and nothing has cut the body.
   */
  readonly respond: (
    request: Request,
    path: RoutedPath,
    info: unknown,
  ) => Response | Promise<Response>;
  /** Validates the request and calls the handler, without middleware; may throw. */
  readonly invoke: Handler;
}

/** What the endpoints of a route have in common. */
export interface EndpointParts {
  /** The URL pattern of the route. */
  readonly pattern: RoutePattern;
  /** The route file, for the log. */
  readonly file: string;
  /** The rules for bodies, or a function that imports the route to find them. */
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

/** A handler with the schemas of its requests and responses. */
export interface HandlerParts {
  readonly handler: Handler;
  /** The schemas that its requests must fit, in the order of checking. */
  readonly schemas: readonly MethodSchema[];
  /** The schemas that its responses must fit. */
  readonly response: MethodSchema["response"];
}

/**
 * Creates the endpoint of a handler. A route without schemas does not pay for
 * validation.
 */
export function createHandlerEndpoint(
  method: Method,
  { handler: ownHandler, schemas, response }: HandlerParts,
  parts: EndpointParts,
): Endpoint {
  const { pattern, file, validateResponses = false } = parts;
  const { measure } = stepTimer(parts.serverTiming);
  const place = `${pattern.text} (${file})`;
  const handler = measure(
    "handler",
    checkResponses(ownHandler, response, {
      validation: validateResponses,
      place,
    }),
  );
  const checks = schemas.filter(checksAnything);
  if (checks.length === 0) return createEndpoint(handler, parts, { method });
  const check = measure("validate", validateAll(checks));
  return createEndpoint(handler, parts, { method, check });
}

/** Validates a request; rejects where it does not fit. */
type Check = (request: FrameworkRequest) => void | Promise<void>;

/**
 * Creates an endpoint: puts the middleware of the route around a handler and its
 * check, and turns errors into responses.
 *
 * @param method The method of the endpoint, if it has only one. GET and HEAD
 * requests have no body, so their readers need no limit.
 */
export function createEndpoint(
  handler: Handler,
  parts: EndpointParts,
  { method, check }: { readonly method?: Method; readonly check?: Check } = {},
): Endpoint {
  const { pattern, bodyRules, middleware } = parts;
  const { measure, measureRouting } = stepTimer(parts.serverTiming);
  const context: ErrorContext = {
    place: { pattern: pattern.text, file: parts.file },
    onError: parts.onError,
  };
  const hasBody = method !== "GET" && method !== "HEAD";
  const framed: BodyAccess = { rules: bodyRules, framed: true };
  const counted: BodyAccess = { rules: bodyRules, framed: false };

  /** Awaits a promise; any other value that is no response becomes an error. */
  async function settle(
    response: unknown,
    request: FrameworkRequest,
  ): Promise<Response> {
    try {
      return assertUsable(await response);
    } catch (error) {
      return respondToFailure(error, request, context);
    }
  }

  function respondPlain(request: FrameworkRequest) {
    try {
      const response: unknown = handler(request);
      return response instanceof Response
        ? assertUsable(response)
        : settle(response, request);
    } catch (error) {
      return respondToFailure(error, request, context);
    }
  }

  /**
   * Does what `settle(invoke(request))` would. A function of its own saves each
   * validated request a promise (`deno task bench:http --cases="zod body"`).
   */
  async function respondChecked(request: FrameworkRequest) {
    try {
      await check!(request);
      const response: unknown = handler(request);
      return assertUsable(
        response instanceof Response ? response : await response,
      );
    } catch (error) {
      return respondToFailure(error, request, context);
    }
  }

  const invoke: Handler = check === undefined ? handler : async (request) => {
    await check(request);
    return handler(request);
  };
  const respondDirectly = check === undefined ? respondPlain : respondChecked;

  const guarded = measure(
    "middleware",
    // Here, inside of a route, the request has the pattern of that route.
    compose(
      middleware,
      async (request) =>
        assertUsable(await invoke(request as FrameworkRequest)),
    ),
  );

  const respond = measureRouting((request, path, info) => {
    const bound = bindRequest(request, path, pattern.text, info);
    if (hasBody) limitBody(bound, info === undefined ? counted : framed);
    return middleware.length === 0
      ? respondDirectly(bound)
      : respondThroughMiddleware(guarded, bound, context);
  });
  return { respond, invoke };
}

function checksAnything(schema: MethodSchema): boolean {
  return SCHEMA_PARTS.some((part) => schema[part] !== undefined);
}

/** Validates by several schemas in order; the output of a later one wins. */
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
