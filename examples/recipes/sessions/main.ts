/**
 * Cookies and sessions. In this folder:
 * `deno run --allow-read=. --allow-net --allow-env=PORT,HOST main.ts`
 */
import { Framework } from "@bough/framework";
import { addUser } from "./users.ts";

export const app = new Framework({
  apiDir: new URL("./api/", import.meta.url),
});

if (import.meta.main) {
  const password = crypto.randomUUID();
  await addUser("ada", password);
  console.log(`Sign in as "ada" with the password ${password}`);
  await app.serve({ env: true });
}
