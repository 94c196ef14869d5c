import { HttpError } from "@bough/framework";
import type { Item, ItemChanges, NewItem } from "../schemas.ts";
import type { Store } from "./database.ts";
import { touch } from "./reports.ts";

const ITEM = "id, date, category, cents, note";

/** The items that a list contains. */
export interface ItemFilter {
  category?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
}

/** Lists the items of a report by date. */
export function listItems(
  store: Store,
  report: number,
  { category, from, to }: ItemFilter = {},
): Item[] {
  return store.all(
    `SELECT ${ITEM} FROM items
     WHERE report = :report AND (:category IS NULL OR category = :category)
       AND (:from IS NULL OR date >= :from) AND (:to IS NULL OR date <= :to)
     ORDER BY date, id`,
    {
      report,
      category: category ?? null,
      from: from ?? null,
      to: to ?? null,
    },
  );
}

/** An item of a report; 404 if there is none. */
export function getItem(store: Store, report: number, id: number): Item {
  const item = store.get<Item>(
    `SELECT ${ITEM} FROM items WHERE id = :id AND report = :report`,
    { id, report },
  );
  if (item === undefined) throw new HttpError(404, `There is no item ${id}`);
  return item;
}

/** Adds an item to a report. */
export function addItem(
  store: Store,
  report: number,
  { date, category, cents, note }: NewItem,
): Item {
  const { id } = store.run(
    `INSERT INTO items (report, date, category, cents, note)
     VALUES (:report, :date, :category, :cents, :note)`,
    { report, date, category, cents, note },
  );
  touch(store, report);
  return getItem(store, report, id);
}

/** Changes an item; 404 if there is none. */
export function changeItem(
  store: Store,
  report: number,
  id: number,
  changes: ItemChanges,
): Item {
  const item = { ...getItem(store, report, id), ...changes };
  store.run(
    `UPDATE items SET date = :date, category = :category, cents = :cents,
       note = :note WHERE id = :id`,
    item,
  );
  touch(store, report);
  return getItem(store, report, id);
}

/** Removes an item; 404 if there is none. */
export function removeItem(store: Store, report: number, id: number): void {
  getItem(store, report, id);
  store.run("DELETE FROM items WHERE id = :id", { id });
  touch(store, report);
}
