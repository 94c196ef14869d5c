import { type Method, METHODS, schemaKey } from "../method.ts";
import {
  createEndpoint,
  createHandlerEndpoint,
  type Endpoint,
  type EndpointParts,
} from "./endpoint.ts";
import { allowOf, resolveMethod } from "./method_resolution.ts";
import { problem } from "./problem.ts";
import type { Handler } from "./request.ts";
import type { RouteSchema } from "./validation/schema.ts";

/** The exports of a route file that requests need. */
export interface RouteExports {
  /** The handlers by method. */
  readonly handlers: ReadonlyMap<Method, Handler>;
  /** Its `schema` export: schemas by lowercase method. */
  readonly schema: RouteSchema;
}

/** The endpoints of one route, by method. All requests share them. */
export class Endpoints {
  /** The methods that the route file exports handlers for. */
  readonly methods: readonly Method[];
  /** The handlers by method. */
  readonly handlers: ReadonlyMap<Method, Handler>;
  /** The schemas by lowercase method. */
  readonly schema: RouteSchema;
  /** The rules for the bodies of the route. */
  readonly bodyRules: EndpointParts["bodyRules"];
  readonly #byMethod = new Map<string, Endpoint>();
  readonly #notImplemented: Endpoint;

  /** Creates the endpoints of a route. */
  constructor({ handlers, schema }: RouteExports, parts: EndpointParts) {
    this.methods = METHODS.filter((method) => handlers.has(method));
    this.handlers = handlers;
    this.schema = schema;
    this.bodyRules = parts.bodyRules;
    const allow = allowOf(this.methods);
    const own: Readonly<Record<204 | 405 | 501, Endpoint>> = {
      204: createEndpoint(prepared(() => optionsResponse(allow)), parts),
      405: createEndpoint(prepared(() => notAllowedResponse(allow)), parts),
      501: createEndpoint(notImplementedResponse, parts),
    };
    for (const method of METHODS) {
      const resolution = resolveMethod(this.methods, method);
      this.#byMethod.set(
        method,
        "handler" in resolution
          ? this.#endpointOf(method, resolution.handler, parts)
          : own[resolution.status],
      );
    }
    this.#notImplemented = own[501];
  }

  /** The endpoint for a method; a client may send any string. */
  get(method: string): Endpoint {
    return this.#byMethod.get(method) ?? this.#notImplemented;
  }

  /** Returns these endpoints, as `LazyEndpoints.load()` does after the import. */
  load(): Endpoints {
    return this;
  }

  /** `handled` is the method whose handler responds: for `HEAD` it may be `GET`. */
  #endpointOf(method: Method, handled: Method, parts: EndpointParts): Endpoint {
    // The handler relies on what `schema.get` checks, whatever `schema.head` adds.
    const keys = new Set([schemaKey(method), schemaKey(handled)]);
    const schemas = [...keys].flatMap((key) => this.schema[key] ?? []);
    return createHandlerEndpoint(method, {
      handler: this.handlers.get(handled)!,
      schemas,
      response: schemas.at(-1)?.response,
    }, parts);
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
    detail: `This resource answers ${allow}`,
    headers: { allow },
  });
}
