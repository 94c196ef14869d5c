import { idempotent, rateLimit } from "@bough/framework/protect";
import { protection } from "@/store/protection.ts";

/** Limits the orders of each client, and places a repeated order only once. */
export default [
  rateLimit({ limit: 100, per: 60_000, store: protection }),
  idempotent({ store: protection }),
] as const;
