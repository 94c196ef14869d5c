/**
 * Orders in Redis, served by any number of processes. `deno task cluster` starts
 * three of them behind nginx. To start one, with Redis on its default port:
 *
 *     deno run --allow-read --allow-net --allow-env=PORT,HOST,REDIS_URL main.ts
 */
import { Framework } from "@bough/framework";
import { listen } from "@/orders.ts";
import { listener, redis } from "@/redis.ts";

export const app = new Framework({
  apiDir: new URL("./api/", import.meta.url),
});

if (import.meta.main) {
  // In the background, so that the service starts even while Redis is unavailable.
  for (const client of [redis, listener]) client.connect();
  listen();
  const server = await app.serve({ env: true });
  await server.finished;
  listener.destroy();
  await redis.close();
}
