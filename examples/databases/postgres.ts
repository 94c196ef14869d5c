import { PostgresDialect } from "kysely";
// @ts-types="@types/pg"
import { type Client, Pool } from "pg";

/** A pool of connections to Postgres. */
export function postgres(url: string): PostgresDialect {
  const pool = new Pool({
    connectionString: url,
    connectionTimeoutMillis: 1_000, // also the wait for a free connection
    statement_timeout: 5_000, // Postgres ends a statement, also of a migration
    query_timeout: 6_000, // if the machine or the network is lost
    idle_in_transaction_session_timeout: 10_000,
    maxLifetimeSeconds: 300, // also replaces lost connections
  });
  // Without listeners, a restart of Postgres would cause uncaught errors.
  const report = ({ message }: Error) => console.error("Postgres:", message);
  pool.on("error", report); // idle connections
  pool.on("connect", (client) => client.on("error", report)); // connections in use
  // A late BEGIN could still run: never use a connection again without its answer.
  type State = Client & { readonly readyForQuery?: boolean };
  pool.on("release", (_error, client) => {
    if (!(client as State).readyForQuery) void (client as State).end();
  });
  return new PostgresDialect({ pool });
}
