/**
 * A folder of static files, served from the root. In this folder:
 * `deno run --allow-read=. --allow-net --allow-env=PORT,HOST main.ts`
 */
import { Framework } from "@bough/framework";

export const app = new Framework({
  apiDir: new URL("./api/", import.meta.url),
  apiPrefix: "",
});

if (import.meta.main) {
  await app.serve({ env: true });
}
