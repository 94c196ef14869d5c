import { rateLimit } from "@bough/framework/protect";
import { redis } from "@/redis.ts";
import { redisStore } from "@/store.ts";

/** While Redis is unavailable, the products remain available, without a limit. */
export default rateLimit({
  limit: 10_000,
  per: 60_000,
  store: redisStore(redis),
  proxies: ["127.0.0.1"],
  onStoreFailure: "open",
});
