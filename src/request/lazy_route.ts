import { deferBody, settleBody } from "../body/deferred.ts";
import { isMethod, type Method, resolveMethod } from "../methods.ts";
import type { RoutePattern } from "../routing/pattern.ts";
import type { Check } from "../schema/validate.ts";
import { type BodyRules, recordOf } from "../record/record.ts";
import { DeprecatedEndpoint } from "./deprecation.ts";
import type { Endpoint, RouteParts } from "./endpoint.ts";
import { logOnlyOnce } from "./failure.ts";
import type { LoadedRoute, Route } from "./route.ts";

/** The wait between a failed import and the next attempt, in milliseconds. */
const RETRY_AFTER = 1_000;

/**
 * A route whose file is imported at its first request. Requests that arrive meanwhile
 * wait for the same import.
 *
 * The middleware of the route runs before the import, so a request that a guard rejects
 * cannot cause an import or reveal that the import fails. Contracts apply only if the
 * method has a handler, which is unknown before the import. For a request that violates
 * a contract, the middleware therefore runs without validation, as for a 405 response;
 * then the request is rejected.
 */
export class LazyRoute implements Route {
  readonly pattern: RoutePattern;
  readonly parts: RouteParts;
  readonly #import: (attempt: number) => Promise<LoadedRoute>;
  /**
   * The endpoints by method, created at the first request, since an application may have
   * thousands of routes. All methods that HTTP does not define share an endpoint.
   */
  #untilLoaded: Map<Method | undefined, Endpoint> | undefined;
  #loaded: LoadedRoute | undefined;
  #pending: Promise<LoadedRoute> | undefined;
  #failures = 0;
  #retryAt = 0;

  /** @param load Imports the file; `attempt` is the number of previous failures. */
  constructor(
    parts: RouteParts,
    load: (attempt: number) => Promise<LoadedRoute>,
  ) {
    this.pattern = parts.pattern;
    this.parts = parts;
    this.#import = load;
  }

  endpoint(method: string): Endpoint {
    return this.#loaded?.endpoint(method) ?? this.#endpointUntilLoaded(method);
  }

  /**
   * Imports the file, unless it was already imported.
   *
   * Deno keeps each failed import in memory, so Bough imports a broken route at most
   * once a second.
   */
  load(): Promise<LoadedRoute> {
    if (this.#pending === undefined || performance.now() > this.#retryAt) {
      this.#pending = this.#attempt();
    }
    return this.#pending;
  }

  async #attempt(): Promise<LoadedRoute> {
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

  #endpointUntilLoaded(name: string): Endpoint {
    const method = isMethod(name) ? name : undefined;
    this.#untilLoaded ??= new Map();
    let endpoint = this.#untilLoaded.get(method);
    if (endpoint === undefined) {
      endpoint = this.#createEndpoint(method);
      this.#untilLoaded.set(method, endpoint);
    }
    return endpoint;
  }

  /** Creates the endpoint that responds until the file is imported, and imports it. */
  #createEndpoint(method: Method | undefined): Endpoint {
    const { knownSecurity, application: { timer } } = this.parts;
    const load = (_: Request) => this.load();
    const measured = timer?.measure("import", load) ?? load;
    return new DeprecatedEndpoint({
      handler: async (request) => {
        const route = await measured(request);
        await settleBody(request);
        const record = recordOf(request)!;
        const { mismatch } = record;
        const { method } = request;
        const endpoint = route.endpoint(method);
        const isHandled = "handler" in resolveMethod(route.methods, method);
        if (!isHandled || mismatch === undefined) {
          return endpoint.invoke(request);
        }
        record.place = endpoint.inside;
        throw mismatch.error;
      },
      ...(method && { method, security: knownSecurity?.[method] }),
      wrapCheck: noting,
      prepareBody: (request, record, framed) =>
        deferBody(request, record, { findRules: this.#findRules, framed }),
    }, this.parts);
  }

  /**
   * The rules for middleware that reads the body; the application's rules if the import
   * fails.
   */
  readonly #findRules = async (): Promise<BodyRules> => {
    const { parts } = await this.load().catch(() => this);
    return parts.bodyRules;
  };
}

/**
 * Wraps a check to record the first error of a request. Further checks are then
 * skipped.
 */
function noting(check: Check): Check {
  return async (request) => {
    const record = recordOf(request)!;
    if (record.mismatch !== undefined) return;
    try {
      await check(request);
    } catch (error) {
      record.mismatch = { error };
      request.validated = {};
    }
  };
}
