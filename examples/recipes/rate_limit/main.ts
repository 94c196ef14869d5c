/**
 * Rate limits by the address of the client. In this folder:
 * `deno run --allow-read=. --allow-net main.ts`
 */
import { Framework } from "@bough/framework";
import { limitRate } from "./rate_limit.ts";

export const app = new Framework({
  apiDir: new URL("./api/", import.meta.url),
  // With nginx in front, on this machine, as in examples/proxy/nginx.conf:
  // limitRate({ calls: 100, seconds: 60, proxies: ["127.0.0.1"] })
  middleware: [limitRate({ calls: 100, seconds: 60 })],
});

if (import.meta.main) {
  await app.serve({ env: true });
}
