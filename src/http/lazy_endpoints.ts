import {
  createEndpoint,
  type Endpoint,
  type EndpointParts,
} from "./endpoint.ts";
import type { Endpoints } from "./endpoints.ts";
import { logOnlyOnce } from "./failure.ts";
import { stepMaker } from "./server_timing.ts";

/** How long a failed import is not tried again, in milliseconds. */
const RETRY_AFTER = 1_000;

/**
 * The endpoints of a route whose file is imported at its first request, once,
 * however many requests arrive together.
 *
 * The middleware of the route runs before the import: whoever a guard turns away
 * neither causes one, nor learns that it fails.
 */
export class LazyEndpoints {
  readonly #import: (attempt: number) => Promise<Endpoints>;
  readonly #loading: Endpoint;
  #loaded: Endpoints | undefined;
  #pending: Promise<Endpoints> | undefined;
  #failures = 0;
  #retryAt = 0;

  /**
   * Prepares what responds until the file is imported.
   *
   * @param load Imports the file; `attempt` is how many imports failed before.
   */
  constructor(
    load: (attempt: number) => Promise<Endpoints>,
    parts: EndpointParts,
  ) {
    this.#import = load;
    const { measured } = stepMaker(parts.serverTiming);
    const loaded = measured("import", () => this.load());
    this.#loading = createEndpoint(async (request) => {
      const endpoints = await loaded(request);
      return endpoints.get(request.method).invoke(request);
    }, parts);
  }

  /** The endpoint for a method. */
  get(method: string): Endpoint {
    return this.#loaded?.get(method) ?? this.#loading;
  }

  /**
   * Imports the file, unless that was done.
   *
   * A file that cannot be imported stays in memory for each attempt, so that a
   * broken route must not be tried for every request.
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
