/**
 * Rate limits, idempotency keys and preconditions for the routes of a folder.
 *
 * @example Usage
 * ```ts
 * // api/middleware.ts
 * import { memoryStore, rateLimit } from "@bough/framework/protect";
 *
 * export default rateLimit({ limit: 100, per: 60_000, store: memoryStore() });
 * ```
 *
 * @module
 */
export { clientNetwork } from "./client_network.ts";
export {
  idempotencyKey,
  type IdempotencyOptions,
  idempotent,
  type KeyContract,
} from "./idempotent.ts";
export {
  type MemoryStore,
  memoryStore,
  type MemoryStoreOptions,
} from "./memory_store.ts";
export {
  assertMatch,
  type ChangeHeaders,
  notModified,
  type PreconditionOptions,
  preconditions,
  type VersionContract,
  type VersionHeaders,
  type VersionProblem,
  type VersionResponse,
} from "./preconditions.ts";
export {
  rateLimit,
  type RateLimitContract,
  type RateLimitOptions,
  type StoreFailure,
} from "./rate_limit.ts";
export type {
  Claim,
  ClaimResult,
  Counter,
  Outcome,
  ProtectionStore,
} from "./store.ts";
