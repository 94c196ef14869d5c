/**
 * A small bookshop: `deno run --allow-read --allow-net --allow-env=PORT,HOST main.ts`.
 * The variables `PORT` and `HOST` choose where it listens. Its database is in memory. To
 * store it in a file, name the file, as in `main.ts shop.db`, and add `--allow-write`.
 */
import { Framework } from "@bough/framework";
import { mcp } from "@bough/framework/mcp";
import { openapi } from "@bough/framework/openapi";
import { ADMIN_TOKEN } from "./admin_token.ts";
import { board } from "./board/plugin.ts";
import { openDatabase, resetDatabase } from "./store/database.ts";

/** Resets the shop; `bough test main.ts` calls this function. */
export { resetDatabase as reset };

export const app = new Framework({
  apiDir: new URL("./api/", import.meta.url),
  plugins: [
    board(),
    // Agents of the staff. The guard of `api/(admin)/` checks each call again.
    mcp({
      info: { name: "Bough Books", version: "1.0.0" },
      list: ({ headers }) =>
        headers.get("authorization") === `Bearer ${ADMIN_TOKEN}`,
    }),
    openapi({
      info: {
        title: "Bough Books",
        version: "1.0.0",
        description: "Books, their authors and reviews, and orders for them.",
        license: { name: "MIT", identifier: "MIT" },
      },
      servers: [{ url: ".", description: "Where this document is served" }],
      // Routes are open by default; the contract of `api/(admin)/` requires the token.
      security: [],
      securitySchemes: { bearer: { type: "http", scheme: "bearer" } },
      tags: [
        { name: "shop", description: "Where to begin" },
        {
          name: "books",
          description: "The books, and what readers say of them",
        },
        { name: "authors", description: "Who wrote them" },
        { name: "covers", description: "What they look like" },
        { name: "orders", description: "Who bought them" },
        { name: "stock", description: "For the staff: how many there are" },
        { name: "health", description: "For whatever watches the shop" },
      ],
    }),
  ],
});

if (import.meta.main) {
  const [file = ":memory:"] = Deno.args;
  openDatabase(file);
  await app.serve({ env: true });
}
