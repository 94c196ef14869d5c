import { LONGEST_DELAY } from "../core/common/deadline.ts";
import { log } from "../core/common/log.ts";
import {
  BOOLEAN,
  checkOptions,
  FUNCTION,
  type Members,
} from "../core/common/forms.ts";
import { parseUrl } from "../core/common/values.ts";
import { HttpError, InvalidRequest } from "../core/errors.ts";
import { Problem } from "../core/schema/problem.ts";
import {
  recordOf,
  requestPlace,
  RequestState,
} from "../core/request/record.ts";
import { listsToken } from "../core/operation/upgrade.ts";
import type {
  ContractedMiddleware,
  MiddlewareRequest,
  Next,
} from "../core/types/request.ts";
import type { StandardSchemaV1 } from "../core/types/schema.ts";
import {
  assertString,
  COUNT,
  digestOf,
  resultOf,
  RETRY_HEADER,
  storeWith,
} from "./common.ts";
import { EXPECTED, keySchema, NAME, parseKey } from "./idempotency_key.ts";
import { keep, repeat } from "./kept_response.ts";
import type { ClaimResult, Outcome, ProtectionStore } from "./store.ts";

/**
 * Options of {@linkcode idempotent}.
 *
 * @typeParam Required Whether each request must have a key.
 */
export interface IdempotencyOptions<Required extends boolean = boolean> {
  /**
   * Keeps the keys and the responses, for all processes that share the store. A function
   * returns the store of a request, for a store that `main.ts` opens.
   */
  readonly store:
    | Pick<ProtectionStore, "claim" | "renew" | "finish">
    | ((
      request: MiddlewareRequest,
    ) => Pick<ProtectionStore, "claim" | "renew" | "finish">);
  /**
   * The time for which a response is repeated, in milliseconds.
   *
   * @default {86_400_000}
   */
  readonly ttl?: number;
  /**
   * Whether each `POST` and `PATCH` must have a key; Bough rejects others with 400.
   *
   * @default {false}
   */
  readonly required?: Required;
  /**
   * Returns the identity of the client, such as the id of the user. Two clients may
   * choose the same key, and each gets its own response.
   *
   * By default, the header `Authorization` is the identity, and a repeated request must
   * also have the cookies of the first. Set this option if clients renew their tokens:
   * a request that is repeated with a new token would run again.
   */
  readonly identity?: (request: MiddlewareRequest) => string | Promise<string>;
  /**
   * The size of the largest response that is kept, in bytes of its headers and body. If
   * a response is larger, or is a stream, Bough keeps only its status.
   *
   * @default {65_536}
   */
  readonly maxBytes?: number;
  /**
   * The time after which a key is free if its process ends while the handler runs, in
   * milliseconds. A running process renews the lease three times in this time.
   *
   * @default {30_000}
   */
  readonly lease?: number;
}

/**
 * The contract of {@linkcode idempotent}.
 *
 * @typeParam Required Whether each request must have a key.
 */
export interface KeyContract<Required extends boolean> {
  /** The methods whose requests may have a key. */
  readonly methods: readonly ["POST", "PATCH"];
  /** Checks the key, and removes its quotation marks. */
  readonly headers: StandardSchemaV1<
    Required extends true ? { readonly "idempotency-key": string }
      : { readonly "idempotency-key"?: string }
  >;
  /** The error responses of the middleware itself. */
  readonly response: Readonly<
    Record<409 | 422 | 503, {
      readonly body: typeof Problem;
      readonly headers?: StandardSchemaV1<{ readonly "retry-after"?: string }>;
      readonly description: string;
    }>
  >;
}

/**
 * The key of a request that runs under {@linkcode idempotent}: 64 hexadecimal digits,
 * the digest of the client's identity and its key. Write it to a unique column in the
 * transaction of the effect, or pass it on to a service that accepts such keys.
 *
 * @example Usage
 * ```ts
 * import type { FrameworkRequest } from "@bough/framework";
 * import { idempotencyKey } from "@bough/framework/protect";
 *
 * export async function POST(request: FrameworkRequest): Promise<Response> {
 *   return await fetch("https://pay.example.com/charges", {
 *     method: "POST",
 *     headers: { "idempotency-key": idempotencyKey.get(request) },
 *     body: await request.bytes(),
 *   });
 * }
 * ```
 */
export const idempotencyKey: RequestState<string> = new RequestState(
  "idempotency key",
);

/** The requests inside `idempotent()`, since an inner folder may use it, too. */
const keyed = new WeakSet<Request>();

/**
 * Creates a middleware that runs requests with the same `Idempotency-Key` once, and
 * repeats the first response (draft-ietf-httpapi-idempotency-key-header-07). The key is
 * a string, with quotation marks as in the draft, or without.
 *
 * Bough responds with 409 while the first request runs, and with 422 if it had another
 * method, URL or body. The key is free again after a thrown error, a status from 500, or
 * an error with `Retry-After`.
 *
 * If the process ends between the effect of a handler and the record of its response,
 * the handler runs again. To prevent a second effect, write {@linkcode idempotencyKey}
 * in the transaction of the effect.
 *
 * @param options The store, the identity of clients, and limits.
 * @returns The middleware, for a `middleware.ts` or the `middleware` of a route file.
 * Export the middleware directly: a function around it would lose its contract, which
 * rejects requests without a required key.
 * @throws {TypeError} If an option is missing, unknown or invalid.
 *
 * @example Usage
 * ```ts
 * // api/payments/route.ts
 * import { idempotent, memoryStore } from "@bough/framework/protect";
 *
 * export const middleware = {
 *   POST: [idempotent({ store: memoryStore(), required: true })],
 * };
 * export const POST = () => new Response(null, { status: 201 });
 * ```
 */
export function idempotent<const Required extends boolean = false>(
  options: IdempotencyOptions<Required>,
): ContractedMiddleware<readonly [KeyContract<Required>]> {
  checkOptions("use idempotency keys", options, OPTIONS);
  const { store: given, identity, required = false } = options;
  const { ttl = 86_400_000, lease = 30_000, maxBytes = 65_536 } = options;

  /** Logs the failure of a call of the store. */
  async function attempt<Result>(
    request: MiddlewareRequest,
    call: () => Result | PromiseLike<Result>,
  ): Promise<Result> {
    try {
      return await resultOf(call());
    } catch (error) {
      const place = requestPlace(request as Request);
      const message = "the store of keys failed";
      log({ level: "error", place, message, error });
      throw error;
    }
  }

  async function claim(
    { id, owner, request, store }: Owned,
    fingerprint: string,
  ): Promise<ClaimResult> {
    const claiming =
      (async () => await store.claim(id, { owner, fingerprint, lease }))();
    try {
      return await attempt(request, () => claiming);
    } catch (cause) {
      // A claim that succeeds late must not keep the key from other requests.
      claiming.then(() => store.finish(id, owner)).catch(() => {});
      throw new HttpError(503, "Idempotency keys are unavailable", {
        headers: RETRY,
        cause,
      });
    }
  }

  /**
   * Stores the first of the values that the store accepts; without values, the key is
   * free again. Never throws: the client gets its response, since the handler has run.
   */
  async function finish(
    { id, owner, request, store }: Owned,
    values: readonly Outcome["value"][],
  ): Promise<void> {
    const outcomes = values.map((value) => ({ value, ttl }));
    for (const outcome of values.length === 0 ? [undefined] : outcomes) {
      try {
        const call = () => store.finish(id, owner, outcome);
        if (await attempt(request, call)) return;
        const place = requestPlace(request as Request);
        const message =
          "the lease of the idempotency key expired before the handler ended, and another request may have run";
        return log({ level: "warning", place, message });
      } catch { /* try the next value */ }
    }
  }

  /** Runs the handler while renewing the lease, and stores the response. */
  async function run(owned: Owned, next: Next): Promise<Response> {
    const { id, owner, request, store } = owned;
    // After a failure, the next renewal may still be in time.
    const renew = () =>
      attempt(request, () => store.renew(id, owner, lease)).catch(() => {});
    const timer = setInterval(renew, Math.min(lease / 3, LONGEST_DELAY));
    // A handler that hangs must not keep its process alive.
    Deno.unrefTimer(timer);
    let values: readonly Outcome["value"][] = [];
    try {
      const response = await next();
      if (asksToRepeat(response)) return response;
      const kept = await keep(response, maxBytes);
      values = kept.values;
      return kept.response;
    } finally {
      await finish(owned, values);
      clearInterval(timer);
    }
  }

  async function respond(
    request: MiddlewareRequest,
    key: string,
    next: Next,
  ): Promise<Response> {
    const { method, url, headers } = request;
    const body = await digestOf(await request.bytes());
    const client = identity === undefined
      ? headers.get("authorization")
      : await identity(request);
    if (identity) assertString(client, "use idempotency keys: identity()");
    const cookies = identity === undefined ? headers.get("cookie") : null;
    // Behind a proxy, the scheme and the port may differ between two requests.
    const host = parseUrl(url)?.hostname;
    const target = url.slice(url.indexOf("/", "https://".length));
    const id = await digestOf(JSON.stringify([client, key]));
    // One URL may reach several routes, for example by a version in a header.
    const path = recordOf(request)?.rewrittenPath ?? [];
    const fingerprint = await digestOf(
      JSON.stringify([method, host, target, cookies, body].concat(path)),
    );
    const store = typeof given === "function" ? given(request) : given;
    const owned = { id, owner: crypto.randomUUID(), request, store };
    const claimed = await claim(owned, fingerprint);
    if (claimed.state === "claimed") {
      idempotencyKey.set(request, id);
      return await run(owned, next);
    }
    if (claimed.fingerprint !== fingerprint) {
      throw new HttpError(422, "The key was used for another request");
    }
    if (claimed.state === "finished") return repeat(claimed.value);
    throw new HttpError(409, "The first request with this key is running", {
      headers: RETRY,
    });
  }

  async function middleware(
    request: MiddlewareRequest,
    next: Next,
  ): Promise<Response> {
    const sent = request.headers.get(NAME);
    if (
      // If a handler responds, the contract has rejected a missing key.
      sent === null || request.pattern === undefined || keyed.has(request) ||
      !(METHODS as readonly string[]).includes(request.method)
    ) return await next();
    const key = parseKey(sent);
    if (key === undefined) throw new InvalidRequest(`${NAME} ${EXPECTED}`);
    // If the body was read, Deno 2.9.6 opens a broken socket, and never shuts down.
    if (listsToken(request.headers.get("upgrade"), "websocket")) {
      throw new InvalidRequest(
        "A request that opens a socket cannot have a key",
      );
    }
    keyed.add(request);
    try {
      return await respond(request, key, next);
    } finally {
      // A program may send the same request again.
      keyed.delete(request);
    }
  }

  const contract = {
    methods: METHODS,
    headers: keySchema(required),
    response: RESPONSES,
  } as KeyContract<Required>;
  return Object.assign(middleware, { contracts: [contract] as const });
}

/** A request that owns a key. */
interface Owned {
  readonly id: string;
  readonly owner: string;
  readonly request: MiddlewareRequest;
  readonly store: Pick<ProtectionStore, "claim" | "renew" | "finish">;
}

/** Whether a response asks the client to send its request again. */
function asksToRepeat({ status, headers }: Response): boolean {
  return status >= 500 || (status >= 400 && headers.has("retry-after"));
}

const METHODS = ["POST", "PATCH"] as const;
const RETRY = { "retry-after": "1" };

const RESPONSES: KeyContract<boolean>["response"] = {
  409: {
    body: Problem,
    headers: RETRY_HEADER,
    description:
      "The first request with this key is running, or its response was not kept",
  },
  422: { body: Problem, description: "The key was used for another request" },
  503: {
    body: Problem,
    headers: RETRY_HEADER,
    description: "Idempotency keys are unavailable",
  },
};

const OPTIONS: Members<keyof IdempotencyOptions> = {
  store: storeWith("claim"),
  ttl: COUNT,
  required: BOOLEAN,
  identity: FUNCTION,
  maxBytes: COUNT,
  lease: COUNT,
};
