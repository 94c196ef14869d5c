import { SqliteAdapter, SqliteDialect } from "kysely";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";

type Values = readonly SQLInputValue[];

/** Runs new migrations in one transaction, as with Postgres: all or none. */
class Adapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

class Dialect extends SqliteDialect {
  override createAdapter(): SqliteAdapter {
    return new Adapter();
  }
}

/** SQLite in a file, or in memory. */
export function sqlite(file = ":memory:"): SqliteDialect {
  // Waits up to a second while another process writes.
  const database = new DatabaseSync(file, { timeout: 1_000 });
  database.exec("PRAGMA journal_mode = WAL");
  return new Dialect({
    database: {
      close: () => database.close(),
      prepare(sql) {
        // Wait for other processes now, since a later statement would not.
        const isBegin = sql === "begin";
        const statement = database.prepare(isBegin ? "begin immediate" : sql);
        return {
          reader: statement.columns().length > 0,
          all: (values) => statement.all(...values as Values),
          run: (values) => statement.run(...values as Values),
          iterate: (values) => statement.iterate(...values as Values),
        };
      },
    },
  });
}
