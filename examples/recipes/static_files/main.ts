/**
 * A folder of static files next to an API. In this folder:
 * `deno run --allow-read=. --allow-net --allow-env=PORT,HOST main.ts`
 */
import { Framework } from "@bough/framework";
import { files } from "@bough/framework/files";

export const app = new Framework({
  apiDir: new URL("./api/", import.meta.url),
  plugins: [files({ dir: new URL("./public/", import.meta.url) })],
});

if (import.meta.main) {
  await app.serve({ env: true });
}
