import { nextChange } from "./changes.ts";
import { databaseId, statement } from "./database.ts";
import { getOrder, type Order } from "./orders.ts";

const selectChanges = statement(`
  SELECT id, revision FROM orders
  WHERE revision > ?1 AND (revision > ?2 OR status <> 'sent')
  ORDER BY revision LIMIT 100
`);
const selectRevision = statement(
  "SELECT coalesce(max(revision), 0) AS revision FROM orders",
);

/** An order after a change. */
export interface Change {
  /** Where its reader is then, for {@linkcode revisionAt}. */
  id: string;
  order: Order;
}

/**
 * The revision that a reader has seen, by the id of a change; `undefined` if it has
 * seen none of this database. Ids begin with the number of the database: one in
 * memory begins anew with each process, and its revisions with it.
 */
export function revisionAt(id: string | undefined): number | undefined {
  const [database, revision] = id?.split("-") ?? [];
  return database === String(databaseId()) && /^\d{1,15}$/.test(revision ?? "")
    ? Number(revision)
    : undefined;
}

/**
 * Yields each order that changed after a revision, in the order of the changes, and
 * then each further change as it comes. Without a revision, it begins with all
 * orders that are not sent.
 *
 * An order that changed twice in the meantime comes once, as it is now. So there is
 * no log that grows, and a reader still ends with what the shop has.
 */
export async function* changesAfter(
  revision: number | undefined,
  signal: AbortSignal,
): AsyncGenerator<Change> {
  const database = databaseId();
  const start = revision ?? Number(selectRevision().get()!.revision);
  let seen = revision ?? 0;
  while (!signal.aborted) {
    const changes = selectChanges().all(seen, start);
    // No change comes between the query and this: nothing is awaited in between.
    if (changes.length === 0) await nextChange(signal);
    for (const change of changes) {
      seen = Number(change.revision);
      yield { id: `${database}-${seen}`, order: getOrder(Number(change.id)) };
    }
  }
}
