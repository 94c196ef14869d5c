/**
 * Work that goes on after the response, to its end. In this folder:
 * `deno run --allow-read=. --allow-net --allow-env=PORT,MAIL_URL main.ts`
 */
import { Framework } from "@bough/framework";
import { background } from "./background.ts";

export const app = new Framework({
  apiDir: new URL("./api/", import.meta.url),
});

if (import.meta.main) {
  const server = await app.serve({
    port: Number(Deno.env.get("PORT") ?? 8000),
    shutdownTimeout: 10_000,
  });
  await server.finished; // drained: no request adds anything from here on
  await background.finished();
}
