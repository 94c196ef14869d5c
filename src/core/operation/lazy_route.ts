import { ensureRecord } from "../request/record.ts";
import type { RoutePattern } from "../routing/pattern.ts";
import type { Match } from "../routing/tree.ts";
import { Endpoint } from "./endpoint.ts";
import { logOnlyOnce } from "./failure.ts";
import { operationOf, type RouteParts } from "./operation.ts";
import type { LoadedRoute, Route } from "./endpoint.ts";

/** The wait between a failed import and the next attempt, in milliseconds. */
const RETRY_AFTER = 1_000;

/**
 * A route whose file is imported at its first request, before the middleware runs: the
 * contracts and the security that guards read are in the file. Requests that arrive
 * meanwhile wait for the same import.
 *
 * If the import fails, the middleware still runs, and the error takes the place of the
 * handler, so a request that a guard rejects cannot reveal the failure.
 */
export class LazyRoute implements Route, Pick<Endpoint, "respond"> {
  readonly pattern: RoutePattern;
  readonly parts: RouteParts;
  readonly #import: (attempt: number) => Promise<LoadedRoute>;
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

  endpoint(method: string): Pick<Endpoint, "respond"> {
    return this.#loaded?.endpoint(method) ?? this;
  }

  /** Imports the file, and then responds to the request. */
  async respond(
    request: Request,
    match: Match | undefined,
    info: unknown,
  ): Promise<Response> {
    const record = ensureRecord(request);
    // The client may disconnect during the import.
    record.isFresh = false;
    // A server that shuts down must not cut off the body during the import.
    const { connections } = this.parts.application;
    const isReading = info !== undefined &&
      (record.connections ??= connections) === connections;
    if (isReading) connections.beginReading(record);
    const { method } = request;
    try {
      const endpoint = await this.load().then(
        (route) => route.endpoint(method),
        (error) => {
          const fail = () => {
            throw error;
          };
          return new Endpoint(operationOf(this.parts, method, fail));
        },
      );
      return await endpoint.respond(request, match, info);
    } finally {
      if (isReading) connections.endReading(record);
    }
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
}
