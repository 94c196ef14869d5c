/**
 * Contract tests of the application, with SQLite in memory, or with an empty Postgres
 * database if `TEST_DATABASE_URL` contains its address.
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
