import { isMethod, type Method, METHODS } from "../methods.ts";
import type { RoutePattern } from "../routing/pattern.ts";
import type { Handler } from "../types/request.ts";
import type { RouteSchema } from "../types/schema.ts";
import { Endpoint } from "./endpoint.ts";
import {
  compileOperation,
  type RouteExports,
  type RouteParts,
} from "./operation.ts";

/** A route of an application, before or after the import of its file. */
export interface Route {
  readonly pattern: RoutePattern;
  /** The parts that the operations of the route share. */
  readonly parts: RouteParts;
  /** The responder to a method; a client may send any string. */
  endpoint(method: string): Pick<Endpoint, "respond">;
  /** Imports the file, unless it was already imported. */
  load(): LoadedRoute | Promise<LoadedRoute>;
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
  /** The endpoints by method; methods that HTTP does not define share one. */
  #endpoints: Map<Method | undefined, Endpoint> | undefined;

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
    return this.#endpoints?.get(method as Method) ?? this.#create(method);
  }

  load(): LoadedRoute {
    return this;
  }

  #create(name: string): Endpoint {
    const method = isMethod(name) ? name : undefined;
    this.#endpoints ??= new Map();
    let endpoint = this.#endpoints.get(method);
    if (endpoint === undefined) {
      endpoint = new Endpoint(compileOperation(this.parts, this, name));
      this.#endpoints.set(method, endpoint);
    }
    return endpoint;
  }
}
