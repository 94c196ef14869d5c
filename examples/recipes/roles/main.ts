/**
 * Roles: tokens with scopes, and owners. In this folder:
 * `deno run --allow-read=. --allow-net --allow-env=PORT,HOST,JWT_SECRET main.ts`
 */
import { Framework } from "@bough/framework";
import { createToken, setSecret } from "./user.ts";

export const app = new Framework({
  apiDir: new URL("./api/", import.meta.url),
});

if (import.meta.main) {
  setSecret(Deno.env.get("JWT_SECRET") ?? "");
  console.log(`A token of an author: ${await createToken("ada", "author")}`);
  console.log(
    `A token of a moderator: ${await createToken("max", "moderator")}`,
  );
  await app.serve({ env: true });
}
