/**
 * Orders in Postgres if `DATABASE_URL` has its address, or in a file of SQLite:
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
  const dialect = url ? postgres(url) : sqlite("orders.db");
  await using db = await openDatabase(dialect); // closed at the end of this block
  const server = await createApp(db).serve({ env: true });
  await server.finished; // after SIGTERM, when the last request has ended
}
