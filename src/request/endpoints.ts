import { settleRules } from "../body/readers.ts";
import { problem } from "../errors.ts";
import {
  allowOf,
  isMethod,
  type Method,
  METHODS,
  resolveMethod,
  schemaKey,
} from "../methods.ts";
import type { RoutePattern } from "../routing/pattern.ts";
import { mergeResponses } from "../schema/effective_schema.ts";
import type { Check } from "../schema/validate.ts";
import type { PlacedContract } from "../types/contract.ts";
import type { Handler, MiddlewareRequest } from "../types/request.ts";
import type { RouteSchema } from "../types/schema.ts";
import {
  createEndpoint,
  createHandlerEndpoint,
  type Endpoint,
  type EndpointParts,
} from "./endpoint.ts";
import { logOnlyOnce } from "./failure.ts";
import type { PlacedMiddleware } from "./middleware.ts";
import { stepTimer } from "./server_timing.ts";

/** The exports of a route file that requests need. */
export interface RouteExports {
  /** The handlers by method. */
  readonly handlers: ReadonlyMap<Method, Handler>;
  /** Its `schema` export: schemas by lowercase method. */
  readonly schema: RouteSchema;
}

/**
 * The endpoints of one route, by method. All requests share them. Each is created at
 * its first request: an application may have thousands of routes, and start often.
 */
export class Endpoints {
  /** The handlers by method. */
  readonly handlers: ReadonlyMap<Method, Handler>;
  /** The schemas by lowercase method. */
  readonly schema: RouteSchema;
  /** The rules for the bodies of the route. */
  readonly bodyRules: EndpointParts["bodyRules"];
  readonly #parts: EndpointParts;
  /** Created at the first request, as the endpoints are. */
  #byMethod: Map<string, Endpoint> | undefined;
  #notImplemented: Endpoint | undefined;

  /** Takes what the endpoints of a route need. */
  constructor({ handlers, schema }: RouteExports, parts: EndpointParts) {
    this.handlers = handlers;
    this.schema = schema;
    this.bodyRules = parts.bodyRules;
    this.#parts = parts;
  }

  /** The methods that the route file exports handlers for. */
  get methods(): readonly Method[] {
    return METHODS.filter((method) => this.handlers.has(method));
  }

  /** The endpoint for a method; a client may send any string. */
  get(method: string): Endpoint {
    return this.#byMethod?.get(method) ?? this.#create(method);
  }

  /** Returns these endpoints, as `LazyEndpoints.load()` does after the import. */
  load(): Endpoints {
    return this;
  }

  #create(method: string): Endpoint {
    if (!isMethod(method)) {
      return this.#notImplemented ??= createEndpoint(
        notImplementedResponse,
        this.#parts,
      );
    }
    const endpoint = this.#endpointFor(method);
    this.#byMethod ??= new Map();
    this.#byMethod.set(method, endpoint);
    return endpoint;
  }

  #endpointFor(method: Method): Endpoint {
    const resolution = resolveMethod(this.methods, method);
    if ("handler" in resolution) {
      return this.#handlerEndpoint(method, resolution.handler);
    }
    const allow = allowOf(this.methods);
    const respond = resolution.status === 204
      ? optionsResponse
      : notAllowedResponse;
    return createEndpoint(prepared(() => respond(allow)), this.#parts);
  }

  /** `handled` is the method whose handler responds: for `HEAD` it may be `GET`. */
  #handlerEndpoint(method: Method, handled: Method): Endpoint {
    // The handler relies on what `schema.get` checks, whatever `schema.head` adds.
    const keys = new Set([schemaKey(method), schemaKey(handled)]);
    const schemas = [...keys].flatMap((key) => this.schema[key] ?? []);
    const { contracts } = this.#parts;
    return createHandlerEndpoint(method, {
      handler: this.handlers.get(handled)!,
      schemas,
      response: mergeResponses(contracts, schemas.at(-1)),
    }, this.#parts);
  }
}

/** The response to `OPTIONS` where no handler responds. */
export function optionsResponse(allow: string): Response {
  return new Response(null, { status: 204, headers: { allow } });
}

/**
 * Makes a response at the first call and returns a clone of it at every call: to
 * clone takes a twentieth of the time that a new response takes.
 */
export function prepared(make: () => Response): () => Response {
  let response: Response | undefined;
  return () => (response ??= make()).clone();
}

/** The response to a method outside the seven (RFC 9110, 9.1). */
export const notImplementedResponse: () => Response = prepared(() =>
  problem(501, { detail: `This server implements ${METHODS.join(", ")}` })
);

function notAllowedResponse(allow: string): Response {
  return problem(405, {
    detail: `This resource supports ${allow}`,
    headers: { allow },
  });
}

/** How long to wait after a failed import before the next one, in milliseconds. */
const RETRY_AFTER = 1_000;

/**
 * The endpoints of a route whose file is imported at its first request. All
 * requests share them: those that arrive meanwhile wait for the same import.
 *
 * The middleware of the route runs before the import. So a request that a guard
 * refuses neither causes an import nor shows that it fails. Until the import, it is not
 * known whether a handler responds, and so whether contracts hold: a request that does
 * not fit one runs the middleware as for a 405, and is refused behind it.
 */
export class LazyEndpoints {
  readonly #import: (attempt: number) => Promise<Endpoints>;
  readonly #parts: EndpointParts;
  #loading: Endpoint | undefined;
  #loaded: Endpoints | undefined;
  #pending: Promise<Endpoints> | undefined;
  #failures = 0;
  #retryAt = 0;

  /**
   * Takes what the endpoints need.
   *
   * @param load Imports the file; `attempt` is how many imports failed before.
   */
  constructor(
    load: (attempt: number) => Promise<Endpoints>,
    parts: EndpointParts,
  ) {
    this.#import = load;
    this.#parts = parts;
  }

  /** The endpoint for a method. */
  get(method: string): Endpoint {
    return this.#loaded?.get(method) ?? (this.#loading ??= this.#untilLoaded());
  }

  /** Responds until the file is imported, and imports it. */
  #untilLoaded(): Endpoint {
    const { measure } = stepTimer(this.#parts.application.serverTiming);
    const loaded = measure("import", () => this.load());
    const misfits = new WeakMap<MiddlewareRequest, unknown>();
    const middleware = this.#parts.middleware.map(({ check, ...rest }) => ({
      ...rest,
      check: check && noting(check, misfits),
    }));
    const endpoint = createEndpoint(
      async (request) => {
        const endpoints = await loaded(request);
        await settleRules(request);
        const { methods } = endpoints;
        const isHandled = "handler" in resolveMethod(methods, request.method);
        if (isHandled && misfits.has(request)) throw misfits.get(request);
        return endpoints.get(request.method).invoke(request);
      },
      { ...this.#parts, middleware },
      { hasHandler: true },
    );
    return {
      ...endpoint,
      respond: (request, match, info) => {
        // A program may send the same request again, with other headers.
        misfits.delete(request as MiddlewareRequest);
        return endpoint.respond(request, match, info);
      },
    };
  }

  /**
   * Imports the file, unless it is imported already.
   *
   * Each failed import of a file stays in memory, so a broken route is not imported
   * again for every request.
   */
  load(): Promise<Endpoints> {
    if (this.#pending === undefined || performance.now() > this.#retryAt) {
      this.#pending = this.#attempt();
    }
    return this.#pending;
  }

  async #attempt(): Promise<Endpoints> {
    this.#retryAt = Infinity;
    try {
      return this.#loaded = await this.#import(this.#failures);
    } catch (error) {
      logOnlyOnce(error);
      this.#failures++;
      this.#retryAt = performance.now() + RETRY_AFTER;
      throw error;
    }
  }
}

/** Notes the first error of the checks of a request, and validates nothing from there. */
function noting(
  check: Check,
  misfits: WeakMap<MiddlewareRequest, unknown>,
): Check {
  return async (request) => {
    if (misfits.has(request)) return;
    try {
      await check(request);
    } catch (error) {
      misfits.set(request, error);
      request.validated = {};
    }
  };
}

/** What the tree finds for a path. All requests share it. */
export interface Route {
  /** The URL pattern of the route. */
  readonly pattern: RoutePattern;
  /** The route file, for the log. */
  readonly file: string;
  /** The folders that the file stands in, from `apiDir` down. */
  readonly folders: readonly string[];
  /** The middleware around it, outermost first. */
  readonly middleware: readonly PlacedMiddleware[];
  /** The contracts of its folders, outermost first. */
  readonly contracts: readonly PlacedContract[];
  /** Its endpoints; with `lazy`, the file may still have to be imported. */
  readonly endpoints: Endpoints | LazyEndpoints;
}
