import { type Kysely, sql } from "kysely";
import type { MigrationProvider } from "kysely/migration";

/**
 * The migrations, in the order of their names. Never edit a migration that has run; add a
 * new one. Each is one statement. All new migrations run in one transaction.
 */
const MIGRATIONS: Readonly<Record<string, string>> = {
  "001_products": `CREATE TABLE products (
    name TEXT PRIMARY KEY,
    stock INTEGER NOT NULL CHECK (stock >= 0)
  )`,
  "002_first_products":
    `INSERT INTO products VALUES ('tea', 1000), ('mate', 10)`,
  "003_orders": `CREATE TABLE orders (
    id TEXT PRIMARY KEY,
    customer TEXT NOT NULL,
    product TEXT NOT NULL REFERENCES products,
    count INTEGER NOT NULL CHECK (count > 0),
    placed TEXT NOT NULL
  )`,
  "004_customers": `CREATE INDEX by_customer ON orders (customer, placed)`,
  "005_notes": `ALTER TABLE orders ADD COLUMN note TEXT NOT NULL DEFAULT ''`,
};

/** Provides the migrations to Kysely. */
export const provider: MigrationProvider = {
  getMigrations() {
    const entries = Object.entries(MIGRATIONS).map(([name, statement]) => {
      const up = (db: Kysely<unknown>) => sql.raw(statement).execute(db);
      return [name, { up }];
    });
    return Promise.resolve(Object.fromEntries(entries));
  },
};
