/**
 * Work that continues after the response. Run this program in its folder:
 * `deno run --allow-read=. --allow-net --allow-env=PORT,HOST,MAIL_URL main.ts`
 */
import { Framework } from "@bough/framework";
import { background } from "./background.ts";

export const app = new Framework({
  apiDir: new URL("./api/", import.meta.url),
});

if (import.meta.main) {
  const server = await app.serve({
    env: true,
    shutdownTimeout: 10_000,
  });
  await server.finished; // drained: requests can no longer add tasks
  await background.finished();
}
