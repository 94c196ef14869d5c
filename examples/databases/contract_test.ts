/** The schemas of the routes test the application, over SQLite in memory. */
import { contractTests } from "@bough/framework/testing";
import { createApp } from "@/app.ts";
import { openDatabase } from "@/database.ts";
import { contractOptions } from "@/contract.ts";
import { sqlite } from "@/sqlite.ts";

const db = await openDatabase(sqlite());
contractTests(createApp(db), { ...contractOptions(db), runs: 10, seed: 7 });
