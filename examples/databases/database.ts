import { RequestState } from "@bough/framework";
import { type Dialect, Kysely } from "kysely";
import { Migrator } from "kysely/migration";
import { provider } from "@/migrations.ts";

/** The columns, as the migrations leave them. */
export interface Tables {
  products: { name: string; stock: number };
  orders: {
    id: string;
    customer: string;
    product: string;
    count: number;
    note: string;
    placed: string;
  };
}

/** A database with these tables. `await using` closes it. */
export type Database = Kysely<Tables>;

/** The database of a request. */
export const database = new RequestState<Database>("database");

/** Opens a database, and runs the migrations that it lacks. */
export async function openDatabase(dialect: Dialect): Promise<Database> {
  const db = new Kysely<Tables>({ dialect });
  const migrator = new Migrator({ db, provider });
  const { error } = await migrator.migrateToLatest();
  if (error === undefined) return db;
  await db.destroy();
  throw error;
}
