import type { BodyRules } from "../body/read.ts";
import { type BodyAccess, limitBody } from "../body/readers.ts";
import type { Method } from "../methods.ts";
import { assertUsable } from "../response.ts";
import type { RoutePattern } from "../routing/pattern.ts";
import type { Match } from "../routing/tree.ts";
import { checkResponses } from "../schema/check_response.ts";
import { type Check, createCheck } from "../schema/validate.ts";
import type { PlacedContract } from "../types/contract.ts";
import {
  bindRequest,
  type FrameworkRequest,
  type Handler,
} from "../types/request.ts";
import type { MethodSchema } from "../types/schema.ts";
import {
  type ErrorContext,
  respondThroughMiddleware,
  respondToFailure,
} from "./failure.ts";
import {
  checkBefore,
  compose,
  type Invoke,
  type PlacedMiddleware,
} from "./middleware.ts";
import {
  type Application,
  liveOutside,
  setLiveRoute,
  withLiveRoute,
} from "./record.ts";
import { stepTimer } from "./server_timing.ts";
import { markingFresh, returningUpgrade, whilePresent } from "./upgrade.ts";

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
    match: Match,
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
  /** The contracts of its folders, outermost first. */
  readonly contracts: readonly PlacedContract[];
  /** What it shares with the other routes. */
  readonly application: Application;
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
  const { pattern, file, application } = parts;
  const { validateResponses, connections, isTrusted, onError } = application;
  const { measure } = stepTimer(application.serverTiming);
  const place = `${pattern.text} (${file})`;
  const handler = measure(
    "handler",
    checkResponses(ownHandler, response, {
      validation: validateResponses,
      place,
    }),
  );
  const check = createCheck(schemas);
  const live = withLiveRoute(handler, {
    schema: schemas.at(-1) ?? {},
    validation: validateResponses,
    place: `${method} ${place}`,
    connections,
    isTrusted,
    onError,
  });
  const opensSocket = schemas.at(-1)?.socket !== undefined;
  const endpoint = createEndpoint(
    opensSocket ? whilePresent(returningUpgrade(live)) : live,
    parts,
    {
      method,
      check: check && measure("validate", check),
      hasHandler: true,
    },
  );
  return opensSocket
    ? { ...endpoint, respond: markingFresh(endpoint.respond) }
    : endpoint;
}

/**
 * Creates an endpoint: puts the middleware of the route around a handler and its
 * check, and turns errors into responses.
 *
 * Where no handler responds, the contracts of folders are not checked: whoever asks for
 * the methods of a route need not fit the contract of one of them.
 *
 * @param method The method of the endpoint, if it has only one. GET and HEAD
 * requests have no body, so their readers need no limit.
 */
export function createEndpoint(
  handler: Handler,
  parts: EndpointParts,
  { method, check, hasHandler = false }: {
    readonly method?: Method;
    readonly check?: Check | undefined;
    readonly hasHandler?: boolean;
  } = {},
): Endpoint {
  const { pattern, bodyRules, application } = parts;
  const middleware = hasHandler
    ? parts.middleware
    : parts.middleware.map(({ check: _, ...rest }) => rest);
  const isPlain = middleware.every(({ run }) => run === undefined);
  const { measure, measureRouting } = stepTimer(application.serverTiming);
  const context: ErrorContext = {
    place: { pattern: pattern.text, file: parts.file },
    onError: application.onError,
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

  const invoke: Handler = check === undefined
    ? handler
    : checkBefore(handler, check);
  const invokePlain = compose(isPlain ? middleware : [], invoke as Invoke);

  function respondDirectly(request: FrameworkRequest) {
    try {
      const response: unknown = invokePlain(request);
      return response instanceof Response
        ? assertUsable(response)
        : settle(response, request);
    } catch (error) {
      return respondToFailure(error, request, context);
    }
  }

  const guarded = measure(
    "middleware",
    // Here, inside of a route, the request has the pattern of that route.
    compose(
      middleware,
      async (request) =>
        assertUsable(await invoke(request as FrameworkRequest)),
    ),
  );

  const outside = liveOutside(`the middleware of ${pattern.text}`, application);
  const respond = measureRouting((request, match, info) => {
    const bound = bindRequest(request, match, pattern.text, info);
    if (hasBody) limitBody(bound, info === undefined ? counted : framed);
    if (isPlain) return respondDirectly(bound);
    setLiveRoute(bound, outside);
    return respondThroughMiddleware(guarded, bound, context);
  });
  return { respond, invoke };
}
