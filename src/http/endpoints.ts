import { isMethod, type Method, METHODS } from "../method.ts";
import {
  createEndpoint,
  createOwnEndpoint,
  type Endpoint,
  type EndpointParts,
} from "./endpoint.ts";
import { problem } from "./problem.ts";
import type { Handler } from "./request.ts";
import type { RouteSchema } from "./schema.ts";

/** The endpoints of one route, by method. */
export class Endpoints {
  /** The methods that have a handler of their own. */
  readonly methods: readonly Method[];
  /** Those handlers. */
  readonly handlers: ReadonlyMap<Method, Handler>;
  /** The schemas by lowercase method. */
  readonly schema: RouteSchema;
  readonly #byMethod = new Map<string, Endpoint>();
  readonly #notAllowed: Endpoint;
  readonly #notImplemented: Endpoint;

  /** Prepares the endpoints of a route from its checked parts. */
  constructor(parts: EndpointParts) {
    const { handlers, schema } = parts;
    this.methods = METHODS.filter((method) => handlers.has(method));
    this.handlers = handlers;
    this.schema = schema;
    for (const [method, handler] of handlers) {
      this.#byMethod.set(
        method,
        createEndpoint(method, handler, parts, schema[lowercase(method)]),
      );
    }
    const get = handlers.get("GET");
    if (get !== undefined && !handlers.has("HEAD")) {
      const headSchema = schema.head ?? schema.get;
      this.#byMethod.set(
        "HEAD",
        createEndpoint("HEAD", get, parts, headSchema),
      );
    }
    const allow = METHODS.filter((method) =>
      this.#byMethod.has(method) || method === "OPTIONS"
    ).join(", ");
    if (!handlers.has("OPTIONS")) {
      const answer = prepared(() => optionsAnswer(allow));
      this.#byMethod.set("OPTIONS", createOwnEndpoint(answer, parts));
    }
    const refusal = prepared(() =>
      problem(405, {
        detail: `This resource answers ${allow}`,
        headers: { allow },
      })
    );
    this.#notAllowed = createOwnEndpoint(refusal, parts);
    this.#notImplemented = createOwnEndpoint(notImplementedAnswer, parts);
  }

  /** The endpoint for a method, which may be anything that a client sent. */
  get(method: string): Endpoint {
    return this.#byMethod.get(method) ??
      (isMethod(method) ? this.#notAllowed : this.#notImplemented);
  }
}

/** The answer to `OPTIONS` where no handler gives one. */
export function optionsAnswer(allow: string): Response {
  return new Response(null, { status: 204, headers: { allow } });
}

/**
 * Gives one answer again and again. It is made when it is first wanted, and
 * cloned from then on: that costs a twentieth of making a new one.
 */
export function prepared(make: () => Response): () => Response {
  let answer: Response | undefined;
  return () => (answer ??= make()).clone();
}

/** The answer to a method outside the seven (RFC 9110, 9.1). */
export const notImplementedAnswer: () => Response = prepared(() =>
  problem(501, { detail: `This server implements ${METHODS.join(", ")}` })
);

function lowercase(method: Method): Lowercase<Method> {
  return method.toLowerCase() as Lowercase<Method>;
}
