import { log } from "../core/common/log.ts";
import {
  BOOLEAN,
  checkOptions,
  FUNCTION,
  matching,
  type Members,
  oneOf,
} from "../core/common/forms.ts";
import { isThenable } from "../core/common/values.ts";
import { HttpError } from "../core/errors.ts";
import { Problem } from "../core/schema/problem.ts";
import { addFailureHeaders, type Header } from "../core/operation/failure.ts";
import type {
  ContractedMiddleware,
  MiddlewareRequest,
  Next,
} from "../core/types/request.ts";
import type { StandardSchemaV1 } from "../core/types/schema.ts";
import { clientFinder, PROXIES } from "./client_network.ts";
import {
  assertString,
  COUNT,
  digestOf,
  headerSchema,
  resultOf,
  RETRY_HEADER,
  storeWith,
} from "./common.ts";
import type { Counter, ProtectionStore } from "./store.ts";

/** The outcome of requests while a store fails. */
export type StoreFailure = "open" | "closed";

/**
 * Options of {@linkcode rateLimit}.
 *
 * @typeParam OnFailure The outcome of requests if the store fails.
 */
export interface RateLimitOptions<
  OnFailure extends StoreFailure = StoreFailure,
> {
  /**
   * The number of requests that pass in a window, for each key. It has at most 15
   * digits, the limit of numbers in headers.
   */
  readonly limit: number;
  /** The length of a window, in milliseconds. */
  readonly per: number;
  /**
   * Counts the requests. A function returns the store of a request, for a store that
   * `main.ts` opens.
   */
  readonly store:
    | Pick<ProtectionStore, "increment">
    | ((request: MiddlewareRequest) => Pick<ProtectionStore, "increment">);
  /**
   * The name of the limit in the headers. Limits with the same store, name, `limit`
   * and `per` count together.
   *
   * @default {"default"}
   */
  readonly name?: string;
  /**
   * Returns the key that a request counts for, such as the id of a user.
   *
   * @default the network address of the client, from `clientNetwork()`
   */
  readonly key?: (request: MiddlewareRequest) => string | Promise<string>;
  /**
   * The addresses of your proxies, or ranges such as `10.0.0.0/8`, whose
   * `X-Forwarded-For` names the client. For the default key only.
   *
   * @default {[]}
   */
  readonly proxies?: readonly string[];
  /**
   * Whether responses have the headers `RateLimit` and `RateLimit-Policy`.
   *
   * @default {true}
   */
  readonly sendHeaders?: boolean;
  /**
   * The outcome of requests if the store fails: `"closed"` rejects them with 503, and
   * `"open"` lets them pass uncounted.
   *
   * @default {"closed"}
   */
  readonly onStoreFailure?: OnFailure;
}

/**
 * The contract of {@linkcode rateLimit}.
 *
 * @typeParam OnFailure The outcome of requests if the store fails.
 */
export interface RateLimitContract<
  OnFailure extends StoreFailure = StoreFailure,
> {
  /**
   * The responses to a request above the limit, and to a request while the store fails:
   * the problem, with the headers that say when to try again.
   */
  readonly response: {
    readonly [Status in "closed" extends OnFailure ? 429 | 503 : 429]: {
      readonly body: typeof Problem;
      readonly headers: StandardSchemaV1<{
        readonly "retry-after"?: string;
        readonly ratelimit?: string;
        readonly "ratelimit-policy"?: string;
      }>;
      readonly description: string;
    };
  };
}

const OPTIONS: Members<keyof RateLimitOptions> = {
  limit: {
    // An integer of structured fields (RFC 9651).
    accepts: (value) => COUNT.accepts(value) && value as number < 1e15,
    expected: `${COUNT.expected}, with at most 15 digits`,
    isRequired: true,
  },
  per: { ...COUNT, isRequired: true },
  store: storeWith("increment"),
  // A string of structured fields (RFC 9651), without its escapes.
  name: matching(
    /^[ !#-[\]-~]{1,50}$/,
    "must be 1 to 50 ASCII characters, without quotation marks and backslashes",
  ),
  key: FUNCTION,
  proxies: PROXIES,
  sendHeaders: BOOLEAN,
  onStoreFailure: oneOf("open", "closed"),
};

/**
 * Creates a middleware that limits the rate of requests, for each key. A window begins
 * with the first request of a key. In each window, `limit` requests pass, and further
 * requests are rejected with 429. Requests with the method `OPTIONS` do not count.
 *
 * The header `Retry-After` of a 429 says when the window ends. Responses have the headers
 * `RateLimit` and `RateLimit-Policy` of draft-ietf-httpapi-ratelimit-headers-11.
 *
 * @param options The limit, the window, the key and the store.
 * @returns The middleware, for the option `middleware`, or for a `middleware.ts`.
 * @throws {TypeError} If an option is missing, unknown or invalid.
 *
 * @example Usage
 * ```ts
 * // api/middleware.ts
 * import { memoryStore, rateLimit } from "@bough/framework/protect";
 *
 * export default rateLimit({ limit: 100, per: 60_000, store: memoryStore() });
 * ```
 */
export function rateLimit<const OnFailure extends StoreFailure = "closed">(
  options: RateLimitOptions<OnFailure>,
): ContractedMiddleware<readonly [RateLimitContract<OnFailure>]> {
  checkOptions("limit the rate", options, OPTIONS);
  const { limit, per, store, name = "default", sendHeaders = true } = options;
  const isOpen = options.onStoreFailure === "open";
  const { key = clientFinder(options.proxies) } = options;
  const prefix = `${limit};${per};"${name}";`;
  const policy = `"${name}";q=${limit};w=${Math.ceil(per / 1000)}`;
  let lastLog = -Infinity;

  /** Logs at most one error a second, for example while a database is down. */
  function report(error: unknown): void {
    const now = performance.now();
    if (now - lastLog < 1000) return;
    lastLog = now;
    const what = isOpen ? "passed" : "was rejected";
    const message =
      `The store of rate limit ${policy} failed, and a request ${what}`;
    log({ level: "error", message, error });
  }

  async function limiter(
    request: MiddlewareRequest,
    next: Next,
  ): Promise<Response> {
    if (request.method === "OPTIONS" || lifts > 0) return await next();
    const given = key(request);
    const own = typeof given === "string" ? given : await given;
    assertString(own, "limit the rate: key()");
    const counters = typeof store === "function" ? store(request) : store;
    let counter: Counter;
    try {
      // A short key needs no digest, and equals none. JSON escapes lone surrogates.
      const id = /^[ -~]{0,63}$/.test(own)
        ? own
        : await digestOf(JSON.stringify(own));
      const counting = counters.increment(prefix + id, per);
      counter = isThenable(counting) ? await resultOf(counting) : counting;
      const { count, left } = counter ?? {};
      if (!COUNT.accepts(count) || !(Number.isFinite(left) && left > 0)) {
        throw new TypeError(
          "Cannot count a request: the store returned no counter",
        );
      }
    } catch (error) {
      report(error);
      if (isOpen) return await next();
      throw new HttpError(503, "The rate limit is unavailable", {
        headers: { "retry-after": "1" },
        cause: error,
      });
    }
    const { count, left } = counter;
    const seconds = Math.ceil(left / 1000);
    const sent: readonly Header[] = !sendHeaders ? [] : [
      ["ratelimit", `"${name}";r=${Math.max(0, limit - count)};t=${seconds}`],
      ["ratelimit-policy", policy],
    ];
    let response: Response;
    try {
      if (count > limit) {
        const headers = { "retry-after": String(seconds) };
        throw new HttpError(429, `Try again in ${seconds} s`, { headers });
      }
      response = await next();
    } catch (error) {
      addFailureHeaders(request, sent);
      throw error;
    }
    for (const [name, value] of sent) response.headers.append(name, value);
    return response;
  }
  const response = isOpen ? { 429: RESPONSES[429] } : RESPONSES;
  const contract = { response } as RateLimitContract<OnFailure>;
  return Object.assign(limiter, { contracts: [contract] as const });
}

let lifts = 0;

/**
 * Lets every request of this process pass its rate limit, uncounted, until the result
 * is disposed. Contract tests send more requests than a client may.
 */
export function liftLimits(): Disposable {
  lifts++;
  return { [Symbol.dispose]: () => void lifts-- };
}

const RESPONSES: RateLimitContract<"closed">["response"] = {
  429: {
    body: Problem,
    headers: headerSchema({
      "retry-after": "The seconds until the window ends, such as `30`",
      ratelimit: 'The requests that are left, such as `"default";r=0;t=30`',
      "ratelimit-policy": 'The limit, such as `"default";q=100;w=60`',
    }, ["retry-after"]),
    description: "The client sent more requests than the limit allows",
  },
  503: {
    body: Problem,
    headers: RETRY_HEADER,
    description: "The rate limit is unavailable",
  },
};
