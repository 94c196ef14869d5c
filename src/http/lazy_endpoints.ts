import { settleRules } from "./body/body_state.ts";
import {
  createEndpoint,
  type Endpoint,
  type EndpointParts,
} from "./endpoint.ts";
import type { Endpoints } from "./endpoints.ts";
import { logOnlyOnce } from "./failure.ts";
import { resolveMethod } from "./method_resolution.ts";
import type { MiddlewareRequest } from "./request.ts";
import { stepTimer } from "./server_timing.ts";
import type { Check } from "./validation/validate.ts";

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
