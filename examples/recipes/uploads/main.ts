/**
 * Uploads of any size, streamed to disk. In this folder:
 * `deno run --allow-read=. --allow-write=uploads --allow-net --allow-env=PORT,HOST main.ts`
 */
import { Framework } from "@bough/framework";
import { openFolder } from "./uploads.ts";

export const app = new Framework({
  apiDir: new URL("./api/", import.meta.url),
});

if (import.meta.main) {
  await openFolder("uploads");
  await app.serve({ env: true });
}
