/**
 * Work that survives a crash. Run this program in its folder:
 * `deno run --allow-read=. --allow-write=mails.db --allow-net --allow-env=PORT,HOST,MAIL_URL main.ts`
 */
import { Framework } from "@bough/framework";
import { openMails, sendMails } from "./mails.ts";

export const app = new Framework({
  apiDir: new URL("./api/", import.meta.url),
});

if (import.meta.main) {
  using _database = openMails("mails.db");
  const server = await app.serve({ env: true });
  const earlier = sendMails().catch(console.error); // of an earlier process
  await server.finished; // all requests and their work have ended
  await earlier; // before the database closes
}
