import { isMethod, type Method, METHODS, schemaKey } from "../method.ts";
import {
  createEndpoint,
  createHandlerEndpoint,
  type Endpoint,
  type EndpointParts,
} from "./endpoint.ts";
import { allowOf, resolveMethod } from "./method_resolution.ts";
import { problem } from "./problem.ts";
import type { Handler } from "./request.ts";
import { mergeResponses } from "./validation/effective_schema.ts";
import type { RouteSchema } from "./validation/schema.ts";

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
