/**
 * The schemas of the routes test the application, over SQLite in memory, or over an
 * empty database of Postgres if `TEST_DATABASE_URL` has its address.
 */
import { contractTests } from "@bough/framework/testing";
import { createApp } from "@/app.ts";
import { contractOptions } from "@/contract.ts";
import { openDatabase } from "@/database.ts";
import { postgres } from "@/postgres.ts";
import { sqlite } from "@/sqlite.ts";

const url = Deno.env.get("TEST_DATABASE_URL");
const db = await openDatabase(url ? postgres(url) : sqlite());
contractTests(createApp(db), { ...contractOptions(db), runs: 5, seed: 7 });
