/**
 * Webhooks with signatures of https://www.standardwebhooks.com. In this folder:
 * `deno run --allow-read=. --allow-net --allow-env=PORT,HOST,WEBHOOK_SECRET main.ts`
 */
import { Framework } from "@bough/framework";
import { setSecret } from "./signature.ts";

export const app = new Framework({
  apiDir: new URL("./api/", import.meta.url),
});

if (import.meta.main) {
  const secret = Deno.env.get("WEBHOOK_SECRET");
  if (secret === undefined) throw new Error("Set WEBHOOK_SECRET");
  await setSecret(secret);
  await app.serve({ env: true });
}
