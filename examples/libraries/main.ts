/**
 * Handlers of other libraries, each below a folder. In this folder:
 * `deno run --allow-read --allow-net --allow-env main.ts`
 */
import { Framework } from "@bough/framework";

export const app = new Framework({
  apiDir: new URL("./api/", import.meta.url),
});

if (import.meta.main) await app.serve({ env: true });
