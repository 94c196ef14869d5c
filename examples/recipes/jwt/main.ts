/**
 * JSON Web Tokens, with optional login. In this folder:
 * `deno run --allow-read=. --allow-net --allow-env=PORT,HOST,JWT_SECRET main.ts`
 */
import { Framework } from "@bough/framework";
import { createToken, setSecret } from "./user.ts";

export const app = new Framework({
  apiDir: new URL("./api/", import.meta.url),
});

if (import.meta.main) {
  setSecret(Deno.env.get("JWT_SECRET") ?? "");
  console.log(`A token of "ada" for an hour: ${await createToken("ada")}`);
  await app.serve({ env: true });
}
