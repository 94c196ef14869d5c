/**
 * A small bookshop: `deno run --allow-read --allow-net main.ts`. Its database is
 * in memory. To keep it in a file, name the file and allow writing:
 * `deno run --allow-read --allow-write --allow-net main.ts shop.db`. With
 * `--allow-env=PORT,HOST`, these variables choose where it listens.
 */
import { Framework } from "@bough/framework";
import { openapi } from "@bough/framework/openapi";
import { openDatabase } from "./store/database.ts";

export const app = new Framework({
  apiDir: new URL("./api/", import.meta.url),
  plugins: [openapi({
    info: { title: "Bough Books", version: "1.0.0" },
    securitySchemes: { bearer: { type: "http", scheme: "bearer" } },
  })],
});

if (import.meta.main) {
  const [file = ":memory:"] = Deno.args;
  openDatabase(file);
  await app.serve({ env: true });
}
