import { isMethod, type Method, METHODS } from "../method.ts";
import {
  createEndpoint,
  createHandlerEndpoint,
  type Endpoint,
  type EndpointParts,
} from "./endpoint.ts";
import { problem } from "./problem.ts";
import type { Handler } from "./request.ts";
import type { MethodSchema, RouteSchema } from "./validation/schema.ts";

/** What a route file exports, as far as requests are concerned. */
export interface RouteExports {
  /** The handlers by method. */
  readonly handlers: ReadonlyMap<Method, Handler>;
  /** The schemas by lowercase method. */
  readonly schema: RouteSchema;
}

/** The endpoints of one route, by method. */
export class Endpoints {
  /** The methods that have a handler of their own. */
  readonly methods: readonly Method[];
  /** Those handlers. */
  readonly handlers: ReadonlyMap<Method, Handler>;
  /** The schemas by lowercase method. */
  readonly schema: RouteSchema;
  /** How bodies of the route are read. */
  readonly bodyRules: EndpointParts["bodyRules"];
  readonly #byMethod = new Map<string, Endpoint>();
  readonly #notAllowed: Endpoint;
  readonly #notImplemented: Endpoint;

  /** Prepares the endpoints of a route. */
  constructor({ handlers, schema }: RouteExports, parts: EndpointParts) {
    this.methods = METHODS.filter((method) => handlers.has(method));
    this.handlers = handlers;
    this.schema = schema;
    this.bodyRules = parts.bodyRules;
    for (const [method, handler] of handlers) {
      this.#add(method, handler, [schema[lowercase(method)]], parts);
    }
    const get = handlers.get("GET");
    if (get !== undefined && !handlers.has("HEAD")) {
      // The handler counts on what `GET` checks, whatever `schema.head` adds.
      this.#add("HEAD", get, [schema.head, schema.get], parts);
    }
    const allow = METHODS.filter((method) =>
      this.#byMethod.has(method) || method === "OPTIONS"
    ).join(", ");
    if (!handlers.has("OPTIONS")) {
      const respond = prepared(() => optionsResponse(allow));
      this.#byMethod.set("OPTIONS", createEndpoint(respond, parts));
    }
    const refuse = prepared(() =>
      problem(405, {
        detail: `This resource answers ${allow}`,
        headers: { allow },
      })
    );
    this.#notAllowed = createEndpoint(refuse, parts);
    this.#notImplemented = createEndpoint(notImplementedResponse, parts);
  }

  /** The endpoint for a method, which may be anything that a client sent. */
  get(method: string): Endpoint {
    return this.#byMethod.get(method) ??
      (isMethod(method) ? this.#notAllowed : this.#notImplemented);
  }

  /** These endpoints, which are loaded already. */
  load(): Endpoints {
    return this;
  }

  #add(
    method: Method,
    handler: Handler,
    declared: readonly (MethodSchema | undefined)[],
    parts: EndpointParts,
  ): void {
    const schemas = declared.filter((schema) => schema !== undefined);
    const response = schemas.at(-1)?.response;
    this.#byMethod.set(
      method,
      createHandlerEndpoint(method, { handler, schemas, response }, parts),
    );
  }
}

/** The response to `OPTIONS` where no handler gives one. */
export function optionsResponse(allow: string): Response {
  return new Response(null, { status: 204, headers: { allow } });
}

/**
 * Gives one response again and again. It is made when it is first wanted, and
 * cloned from then on: that costs a twentieth of making a new one.
 */
export function prepared(make: () => Response): () => Response {
  let response: Response | undefined;
  return () => (response ??= make()).clone();
}

/** The response to a method outside the seven (RFC 9110, 9.1). */
export const notImplementedResponse: () => Response = prepared(() =>
  problem(501, { detail: `This server implements ${METHODS.join(", ")}` })
);

function lowercase(method: Method): Lowercase<Method> {
  return method.toLowerCase() as Lowercase<Method>;
}
