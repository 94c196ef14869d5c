/**
 * Webhooks with signatures, by the rules of https://www.standardwebhooks.com. Here:
 * `deno run --allow-read=. --allow-net --allow-env=PORT,WEBHOOK_SECRET main.ts`
 */
import { Framework } from "@bough/framework";

export const app = new Framework({
  apiDir: new URL("./api/", import.meta.url),
});

if (import.meta.main) {
  await app.serve({ port: Number(Deno.env.get("PORT") ?? 8000) });
}
