/**
 * Orders in Postgres if `DATABASE_URL` has its address, and else in a file of SQLite:
 *
 *     deno run --allow-read --allow-write=. --allow-net --allow-env main.ts
 */
import { createApp } from "@/app.ts";
import { openDatabase } from "@/database.ts";
import { postgres } from "@/postgres.ts";
import { sqlite } from "@/sqlite.ts";

/** For the commands of `bough`: in memory. */
export const app = createApp(await openDatabase(sqlite()));

if (import.meta.main) {
  const url = Deno.env.get("DATABASE_URL");
  // The end of this block closes all connections.
  await using db = await openDatabase(
    url ? postgres(url) : sqlite("orders.db"),
  );
  const server = await createApp(db).serve({ env: true });
  await server.finished; // after SIGTERM, when the last request has ended
}
