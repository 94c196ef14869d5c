import { PostgresDialect } from "kysely";
// @ts-types="@types/pg"
import { type Client, Pool } from "pg";

/** A pool of connections to Postgres. */
export function postgres(url: string): PostgresDialect {
  const pool = new Pool({
    connectionString: url,
    connectionTimeoutMillis: 1_000, // also the wait for a free connection
    statement_timeout: 5_000, // Postgres ends a statement, also of a migration
    query_timeout: 6_000, // no answer: the machine or the network is lost
    idle_in_transaction_session_timeout: 10_000,
    maxLifetimeSeconds: 300, // also replaces connections that are lost
  });
  // Without listeners, a restart of Postgres would cause uncaught errors.
  const report = ({ message }: Error) => console.error("Postgres:", message);
  pool.on("error", report); // of a connection in the pool
  pool.on("connect", (client) => client.on("error", report)); // of one in use
  // A late BEGIN could still run: use no connection without its answer again.
  type State = Client & { readonly readyForQuery?: boolean };
  pool.on("release", (_error, client) => {
    if (!(client as State).readyForQuery) void (client as State).end();
  });
  return new PostgresDialect({ pool });
}
