import { SqliteDialect } from "kysely";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";

type Values = readonly SQLInputValue[];

/** SQLite in a file, or in memory. */
export function sqlite(file = ":memory:"): SqliteDialect {
  // Another process may write: wait up to a second for it.
  const database = new DatabaseSync(file, { timeout: 1_000 });
  database.exec("PRAGMA journal_mode = WAL");
  return new SqliteDialect({
    database: {
      close: () => database.close(),
      prepare(sql) {
        const statement = database.prepare(sql);
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
