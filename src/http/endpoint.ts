import { type Method, METHODS } from "../method.ts";
import type { RoutedPath } from "../routing/pathname.ts";
import type { RoutePattern } from "../routing/pattern.ts";
import {
  type BodyReaders,
  createBodyReaders,
  installBodyReaders,
} from "./body.ts";
import { checkResponses, type ResponseValidation } from "./check_response.ts";
import { type ErrorHandler, type Place, respondToFailure } from "./failure.ts";
import { bindRequest, type FrameworkRequest, type Handler } from "./request.ts";
import { problem } from "./problem.ts";
import { assertUsable } from "./response.ts";
import { type MethodSchema, type RouteSchema, SCHEMA_PARTS } from "./schema.ts";
import { validate } from "./validate.ts";

/**
 * Answers a request whose path a route matched.
 *
 * @param framed Whether the request came from a server, which cuts its body at
 * its `Content-Length`.
 */
export type Endpoint = (
  request: Request,
  path: RoutedPath,
  framed: boolean,
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
  /** The largest body to read as a whole, in bytes. */
  readonly bodyLimit: number;
  /** What to do about an answer that does not fit its schema. */
  readonly validateResponses?: ResponseValidation;
  /** The application's own error handler. */
  readonly onError?: ErrorHandler | undefined;
}

/** The endpoints of one route, by method. */
export class Endpoints {
  /** The methods that have a handler of their own. */
  readonly methods: readonly Method[];
  /** The schemas by lowercase method. */
  readonly schema: RouteSchema;
  readonly #byMethod = new Map<string, Endpoint>();
  readonly #allow: string;
  // Made when they are first wanted, and cloned from then on.
  #options: Response | undefined;
  #notAllowed: Response | undefined;

  /** Prepares the endpoints of a route from its checked parts. */
  constructor(parts: EndpointParts) {
    const { handlers, schema } = parts;
    this.methods = METHODS.filter((method) => handlers.has(method));
    this.schema = schema;
    const get = handlers.get("GET");
    for (const [method, handler] of handlers) {
      this.#add(method, handler, parts, schema[lowercase(method)]);
    }
    if (get !== undefined && !handlers.has("HEAD")) {
      this.#add("HEAD", get, parts, schema.head ?? schema.get);
    }
    if (!handlers.has("OPTIONS")) {
      this.#byMethod.set("OPTIONS", () => {
        return (this.#options ??= optionsAnswer(this.#allow)).clone();
      });
    }
    this.#allow = METHODS.filter((method) => this.#byMethod.has(method))
      .join(", ");
  }

  /** The endpoint for a method, which may be anything that a client sent. */
  get(method: string): Endpoint | undefined {
    return this.#byMethod.get(method);
  }

  /** The answer to a method that the route does not handle. */
  notAllowed(): Response {
    this.#notAllowed ??= problem(405, {
      detail: `This resource answers ${this.#allow}`,
      headers: { allow: this.#allow },
    });
    return this.#notAllowed.clone();
  }

  #add(
    method: Method,
    handler: Handler,
    parts: EndpointParts,
    schema: MethodSchema | undefined,
  ): void {
    this.#byMethod.set(method, createEndpoint(method, handler, parts, schema));
  }
}

/** The answer to `OPTIONS` where no handler gives one. */
export function optionsAnswer(allow: string): Response {
  return new Response(null, { status: 204, headers: { allow } });
}

function createEndpoint(
  method: Method,
  declared: Handler,
  { pattern, file, bodyLimit, validateResponses = false, onError }:
    EndpointParts,
  schema: MethodSchema | undefined,
): Endpoint {
  const place: Place = { pattern: pattern.text, file };
  const handler = checkResponses(declared, schema?.response, {
    validation: validateResponses,
    place: `${pattern.text} (${file})`,
  });
  const failing = { place, onError };
  const { framedReaders, countedReaders } = readersWithin(bodyLimit);
  // The server gives GET and HEAD no body, so that their readers need no limit.
  const mayHaveBody = method !== "GET" && method !== "HEAD";
  const checked = schema !== undefined &&
    SCHEMA_PARTS.some((part) => schema[part] !== undefined);

  /** Validates, then invokes; a promise is worth its cost only here. */
  async function answerChecked(
    request: FrameworkRequest,
    schema: MethodSchema,
    readers: BodyReaders,
  ): Promise<Response> {
    try {
      await validate(request, schema, readers);
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

  return function endpoint(request, path, framed) {
    const bound = bindRequest(request, pattern, path);
    const readers = framed ? framedReaders : countedReaders;
    if (mayHaveBody || checked) installBodyReaders(bound, readers);
    if (checked) return answerChecked(bound, schema, readers);
    try {
      const answer: unknown = handler(bound);
      return answer instanceof Response
        ? assertUsable(answer)
        : answerLater(answer, bound);
    } catch (error) {
      return respondToFailure(error, bound, failing);
    }
  };
}

interface ReaderPair {
  readonly framedReaders: BodyReaders;
  readonly countedReaders: BodyReaders;
}

/** Nearly all routes share one limit, and so one pair of readers. */
const readersByLimit = new Map<number, ReaderPair>();

function readersWithin(limit: number): ReaderPair {
  let pair = readersByLimit.get(limit);
  if (pair === undefined) {
    pair = {
      framedReaders: createBodyReaders(limit, true),
      countedReaders: createBodyReaders(limit, false),
    };
    readersByLimit.set(limit, pair);
  }
  return pair;
}

function lowercase(method: Method): Lowercase<Method> {
  return method.toLowerCase() as Lowercase<Method>;
}
