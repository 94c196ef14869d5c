import { nextChange } from "./changes.ts";
import { databaseId, statement } from "./database.ts";
import { getOrder, type Order } from "./orders.ts";

const selectChanges = statement(`
  SELECT id, revision FROM orders
  WHERE revision > ?1 AND (revision > ?2 OR status <> 'sent')
  ORDER BY revision LIMIT 100
`);
/** The revision before the last sent orders, of which there may be few or none. */
const selectStart = statement(`
  SELECT coalesce(min(revision) - 1, (SELECT max(revision) FROM orders), 0) AS revision
  FROM (
    SELECT revision FROM orders WHERE status = 'sent'
    ORDER BY revision DESC LIMIT ?1
  )
`);

/** An order after a change. */
export interface Change {
  /** The position after this change, for {@linkcode revisionAt}. */
  id: string;
  order: Order;
}

/**
 * The revision of a change that a reader has seen; `undefined` if the change is not of
 * this database. Ids begin with the number of the database, since a database in memory
 * is new in each process.
 */
export function revisionAt(id: string | undefined): number | undefined {
  const [database, revision] = id?.split("-") ?? [];
  return database === String(databaseId()) && /^\d{1,15}$/.test(revision ?? "")
    ? Number(revision)
    : undefined;
}

/**
 * Yields each order that changed after a revision, in the order of the changes, and
 * then each new change. Without a revision, all unsent orders come first, with
 * the last `sent` ones that are sent.
 *
 * An order that changed twice in the meantime comes once, in its current state. So the
 * shop needs no log, and each reader gets the current state of every order.
 */
export async function* changesAfter(
  revision: number | undefined,
  { sent, signal }: { sent: number; signal: AbortSignal },
): AsyncGenerator<Change> {
  const database = databaseId();
  const start = revision ?? Number(selectStart().get(sent)!.revision);
  let seen = revision ?? 0;
  while (!signal.aborted) {
    const changes = selectChanges().all(seen, start);
    // No change can happen between the query and this line, which awaits nothing.
    if (changes.length === 0) await nextChange(signal);
    for (const change of changes) {
      seen = Number(change.revision);
      yield { id: `${database}-${seen}`, order: getOrder(Number(change.id)) };
    }
  }
}
