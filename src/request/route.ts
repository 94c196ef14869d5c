import { type ErrorParts, problem } from "../errors.ts";
import {
  allowOf,
  isMethod,
  type Method,
  METHODS,
  resolveMethod,
  schemaKey,
} from "../methods.ts";
import type { Application } from "../record/record.ts";
import type { RoutePattern } from "../routing/pattern.ts";
import { contractsFor } from "../schema/validate.ts";
import type { Handler } from "../types/request.ts";
import type { MethodSecurity, RouteSchema } from "../types/schema.ts";
import { DeprecatedEndpoint, deprecationHeaders } from "./deprecation.ts";
import { Endpoint, type RouteParts } from "./endpoint.ts";

/** A route of an application, before or after the import of its file. */
export interface Route {
  readonly pattern: RoutePattern;
  /** The parts that the endpoints of the route share. */
  readonly parts: RouteParts;
  /** The endpoint for a method; a client may send any string. */
  endpoint(method: string): Endpoint;
  /** Imports the file, unless it was already imported. */
  load(): LoadedRoute | Promise<LoadedRoute>;
}

/** The exports of a route file that requests need. */
export interface RouteExports {
  /** The handlers by method. */
  readonly handlers: ReadonlyMap<Method, Handler>;
  /** The `schema` export of the file: schemas by lowercase method. */
  readonly schema: RouteSchema;
}

/**
 * A route whose file was imported. All requests share its endpoints. Each endpoint is
 * created at its first request, since an application may have thousands of routes and
 * start often.
 */
export class LoadedRoute implements Route {
  readonly pattern: RoutePattern;
  readonly parts: RouteParts;
  /** The handlers by method. */
  readonly handlers: ReadonlyMap<Method, Handler>;
  /** The schemas by lowercase method. */
  readonly schema: RouteSchema;
  /** The endpoints by method; created at the first request. */
  #endpoints: Map<string, Endpoint> | undefined;
  #notImplemented: Endpoint | undefined;

  constructor(parts: RouteParts, { handlers, schema }: RouteExports) {
    this.pattern = parts.pattern;
    this.parts = parts;
    this.handlers = handlers;
    this.schema = schema;
  }

  /** The methods that the route file exports handlers for. */
  get methods(): readonly Method[] {
    return METHODS.filter((method) => this.handlers.has(method));
  }

  endpoint(method: string): Endpoint {
    return this.#endpoints?.get(method) ?? this.#create(method);
  }

  load(): LoadedRoute {
    return this;
  }

  #create(method: string): Endpoint {
    if (!isMethod(method)) {
      return this.#notImplemented ??= new Endpoint(
        { handler: fixedError(NOT_IMPLEMENTED, this.parts.application) },
        this.parts,
      );
    }
    const endpoint = this.#endpointFor(method);
    this.#endpoints ??= new Map();
    this.#endpoints.set(method, endpoint);
    return endpoint;
  }

  #endpointFor(method: Method): Endpoint {
    const resolution = resolveMethod(this.methods, method);
    if ("handler" in resolution) {
      // The handler for `HEAD` may be `GET`.
      const { handler: handled } = resolution;
      // The handler `GET` relies on the checks of `schema.get`, even if there is a
      // `schema.head`.
      const keys = new Set([schemaKey(method), schemaKey(handled)]);
      const schemas = [...keys].flatMap((key) => this.schema[key] ?? []);
      const handler = this.handlers.get(handled)!;
      const { knownSecurity } = this.parts;
      const security = knownSecurity === undefined
        ? this.schema[schemaKey(handled)]?.security
        : knownSecurity[method];
      const deprecation = deprecationHeaders(
        contractsFor(this.parts.contracts, method),
        this.schema[schemaKey(handled)],
      );
      const Kind = deprecation === undefined ? Endpoint : DeprecatedEndpoint;
      const parts = { handler, method, schemas, security, deprecation };
      return new Kind(parts, this.parts);
    }
    const allow = allowOf(this.methods);
    const handler = resolution.status === 204
      ? prepared(() => optionsResponse(allow))
      : fixedError(notAllowed(allow), this.parts.application);
    return new Endpoint({ handler, method }, this.parts);
  }
}

/**
 * The security that a route file declares, by method. If `GET` handles `HEAD`, both
 * have the same security.
 */
export function declaredSecurity(
  { handlers, schema }: RouteExports,
): MethodSecurity {
  const handled = [...handlers.keys()];
  return Object.fromEntries(METHODS.flatMap((method) => {
    const resolution = resolveMethod(handled, method);
    if (!("handler" in resolution)) return [];
    const { security } = schema[schemaKey(resolution.handler)] ?? {};
    return security === undefined ? [] : [[method, security]];
  }));
}

/** The response to `OPTIONS` if no handler responds. */
export function optionsResponse(allow: string): Response {
  return new Response(null, { status: 204, headers: { allow } });
}

/**
 * Creates a response at the first call, and returns a clone at every call. A clone
 * takes a twentieth of the time of a new response.
 */
export function prepared(make: () => Response): () => Response {
  let response: Response | undefined;
  return () => (response ??= make()).clone();
}

/** Responds with an error that is the same for all requests. */
export function fixedError(
  error: ErrorParts,
  { errors }: Pick<Application, "errors">,
): (request: Request) => Response | Promise<Response> {
  return errors === undefined
    ? prepared(() => problem(error))
    : (request) => errors.respond(error, request);
}

/** The error for an unknown method (RFC 9110, section 9.1). */
export const NOT_IMPLEMENTED: ErrorParts = {
  status: 501,
  detail: `This server implements ${METHODS.join(", ")}`,
};

function notAllowed(allow: string): ErrorParts {
  return {
    status: 405,
    detail: `This resource supports ${allow}`,
    headers: { allow },
  };
}
