/**
 * Rate limits by the address of the client. In this folder:
 * `deno run --allow-read=. --allow-net --allow-env=PORT,HOST main.ts`
 */
import { Framework } from "@bough/framework";
import { memoryStore, rateLimit } from "@bough/framework/protect";

export const app = new Framework({
  apiDir: new URL("./api/", import.meta.url),
  middleware: [
    rateLimit({
      limit: 100,
      per: 60_000,
      store: memoryStore(),
      // With nginx in front, on this machine, as in examples/proxy/nginx.conf:
      // proxies: ["127.0.0.1"],
    }),
  ],
});

if (import.meta.main) {
  await app.serve({ env: true });
}
