import type { Method } from "../method.ts";
import type { RoutedPath } from "../routing/pathname.ts";
import type { RoutePattern } from "../routing/pattern.ts";
import {
  type BodyBounds,
  type BodyReaders,
  createBodyReaders,
  installBodyReaders,
} from "./body.ts";
import { checkResponses, type ResponseValidation } from "./check_response.ts";
import {
  type ErrorHandler,
  type Failing,
  respondToFailure,
} from "./failure.ts";
import { answerGuarded } from "./guarded.ts";
import {
  bindForMiddleware,
  compose,
  type PlacedMiddleware,
} from "./middleware.ts";
import { bindRequest, type FrameworkRequest, type Handler } from "./request.ts";
import { assertUsable } from "./response.ts";
import { type MethodSchema, type RouteSchema, SCHEMA_PARTS } from "./schema.ts";
import { stepMaker } from "./server_timing.ts";
import { validate } from "./validate.ts";

/**
 * Answers a request whose path a route matched.
 *
 * @param info What the server handed over beside the request. With it, the body
 * is cut at its `Content-Length`; without it, the call is from this process.
 */
export type Endpoint = (
  request: Request,
  path: RoutedPath,
  info: unknown,
) => Response | Promise<Response>;

/** What a route is made of, prepared once so that requests find all at hand. */
export interface EndpointParts {
  /** The URL pattern of the route. */
  readonly pattern: RoutePattern;
  /** The route file, for the log. */
  readonly file: string;
  /** The handlers by method. */
  readonly handlers: ReadonlyMap<Method, Handler>;
  /** The schemas by lowercase method. */
  readonly schema: RouteSchema;
  /** What bounds the reading of a body. */
  readonly bodyBounds: BodyBounds;
  /** The middleware around the route, outermost first. */
  readonly middleware?: readonly PlacedMiddleware[];
  /** What to do about an answer that does not fit its schema. */
  readonly validateResponses?: ResponseValidation;
  /** Whether to measure the steps of each request. */
  readonly serverTiming?: boolean;
  /** The application's own error handler. */
  readonly onError?: ErrorHandler | undefined;
}

/**
 * Prepares the endpoint for one method, so that a route without schema or
 * middleware pays for neither.
 */
export function createEndpoint(
  method: Method,
  declared: Handler,
  parts: EndpointParts,
  schema: MethodSchema | undefined,
): Endpoint {
  const { pattern, file, bodyBounds, middleware = [] } = parts;
  const { measured, routed } = stepMaker(parts.serverTiming);
  const answering = checkResponses(declared, schema?.response, {
    validation: parts.validateResponses ?? false,
    place: `${pattern.text} (${file})`,
  });
  const handler = measured("handler", answering);
  const check = measured("validate", validate);
  const failing = failingOf(parts);
  const { framedReaders, countedReaders } = readersWithin(bodyBounds);
  const checked = schema !== undefined &&
    SCHEMA_PARTS.some((part) => schema[part] !== undefined);
  // The server gives GET and HEAD no body, so that their readers need no limit.
  const reads = checked || (method !== "GET" && method !== "HEAD");

  /** Validates, then invokes; a promise is worth its cost only here. */
  async function answerChecked(
    request: FrameworkRequest,
    schema: MethodSchema,
  ): Promise<Response> {
    try {
      await check(request, schema);
      const answer: unknown = handler(request);
      return assertUsable(answer instanceof Response ? answer : await answer);
    } catch (error) {
      return respondToFailure(error, request, failing);
    }
  }

  /** Waits for what is no response yet, be it a promise or a mistake. */
  async function answerLater(
    answer: unknown,
    request: FrameworkRequest,
  ): Promise<Response> {
    try {
      return assertUsable(await answer);
    } catch (error) {
      return respondToFailure(error, request, failing);
    }
  }

  /** Does the same behind middleware, which sees what is thrown. */
  const composed = compose(middleware, async (request) => {
    if (checked) await check(request, schema);
    return assertUsable(await handler(request));
  });
  const guarded = measured("middleware", composed);

  const endpoint: Endpoint = (request, path, info) => {
    const bound = bindRequest(request, pattern, path);
    if (reads) {
      const framed = info !== undefined;
      installBodyReaders(bound, framed ? framedReaders : countedReaders);
    }
    if (middleware.length > 0) {
      return answerGuarded(
        guarded,
        bindForMiddleware(bound, pattern.text, info),
        failing,
      );
    }
    if (checked) return answerChecked(bound, schema);
    try {
      const answer: unknown = handler(bound);
      return answer instanceof Response
        ? assertUsable(answer)
        : answerLater(answer, bound);
    } catch (error) {
      return respondToFailure(error, bound, failing);
    }
  };
  return routed(endpoint);
}

/** Prepares an answer of Bough's own behind the middleware of a route. */
export function createOwnEndpoint(
  answer: () => Response,
  parts: EndpointParts,
): Endpoint {
  const { pattern, middleware = [] } = parts;
  const { measured, routed } = stepMaker(parts.serverTiming);
  if (middleware.length === 0) return routed(answer);
  const failing = failingOf(parts);
  const guarded = measured("middleware", compose(middleware, answer));
  const endpoint: Endpoint = (request, path, info) => {
    const bound = bindRequest(request, pattern, path);
    return answerGuarded(
      guarded,
      bindForMiddleware(bound, pattern.text, info),
      failing,
    );
  };
  return routed(endpoint);
}

function failingOf({ pattern, file, onError }: EndpointParts): Failing {
  return { place: { pattern: pattern.text, file }, onError };
}

interface ReaderPair {
  readonly framedReaders: BodyReaders;
  readonly countedReaders: BodyReaders;
}

/** Nearly all routes share their bounds, and so one pair of readers. */
const readersByBounds = new Map<string, ReaderPair>();

function readersWithin(bounds: BodyBounds): ReaderPair {
  const key = `${bounds.limit} ${bounds.timeout}`;
  let pair = readersByBounds.get(key);
  if (pair === undefined) {
    pair = {
      framedReaders: createBodyReaders(bounds, true),
      countedReaders: createBodyReaders(bounds, false),
    };
    readersByBounds.set(key, pair);
  }
  return pair;
}
