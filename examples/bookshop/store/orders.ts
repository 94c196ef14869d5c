import { HttpError } from "@bough/framework";
import { findBook } from "./books.ts";
import { announceChange } from "./changes.ts";
import { statement, transaction } from "./database.ts";

/** The order of a customer. */
export interface NewOrder {
  email: string;
  items: { bookId: number; count: number }[];
}

/** The status of an order. */
export type Status = "placed" | "packed" | "sent";

/** An order, at the prices of the day it was placed. */
export interface Order {
  id: number;
  email: string;
  status: Status;
  items: { bookId: number; title: string; count: number; cents: number }[];
}

const insertOrder = statement(`
  INSERT INTO orders (email, revision)
  SELECT ?, coalesce(max(revision), 0) + 1 FROM orders
`);
const insertItem = statement(`
  INSERT INTO order_items (order_id, book_id, count, cents) VALUES (?, ?, ?, ?)
  ON CONFLICT DO UPDATE SET count = count + excluded.count
`);
const takeStock = statement(
  "UPDATE books SET stock = stock - ? WHERE id = ? AND stock >= ?",
);
const selectOrder = statement(
  "SELECT id, email, status FROM orders WHERE id = ?",
);
const insertKey = statement(
  "INSERT INTO order_keys (key, order_id) VALUES (?, ?)",
);
const selectKey = statement(
  "SELECT order_id AS id FROM order_keys WHERE key = ?",
);
const updateStatus = statement(`
  UPDATE orders
  SET status = ?1, revision = (SELECT max(revision) + 1 FROM orders)
  WHERE id = ?2 AND status <> ?1
`);
const selectItems = statement(`
  SELECT book_id AS bookId, title, count, count * order_items.cents AS cents
  FROM order_items JOIN books ON books.id = book_id WHERE order_id = ?
`);

/**
 * Places a whole order at today's prices; 409 if too few copies are left, 422 if a book
 * does not exist.
 *
 * @param key A key of this order. Even if the process ends before it responds, an order
 * with the same key is not placed again.
 */
export function placeOrder({ email, items }: NewOrder, key?: string): Order {
  const id = transaction(() => {
    const earlier = key === undefined ? undefined : selectKey().get(key);
    if (earlier !== undefined) return Number(earlier.id);
    const orderId = Number(insertOrder().run(email).lastInsertRowid);
    for (const { bookId, count } of items) {
      const book = findBook(bookId);
      // Not 404: the body is wrong, not the URL.
      if (book === undefined) {
        throw new HttpError(422, `There is no book ${bookId}`, { bookId });
      }
      const { title, stock, cents } = book;
      if (takeStock().run(count, bookId, count).changes === 0) {
        throw new HttpError(409, `Only ${stock} of "${title}" are left`, {
          bookId,
          stock,
        });
      }
      insertItem().run(orderId, bookId, count, cents);
    }
    if (key !== undefined) insertKey().run(key, orderId);
    return orderId;
  });
  announceChange();
  return getOrder(id);
}

/** Sets the status of an order; 404 if no order has this id. */
export function setStatus(id: number, status: Status): Order {
  if (updateStatus().run(status, id).changes > 0) announceChange();
  return getOrder(id);
}

/** One order with its items; 404 if none has this id. */
export function getOrder(id: number): Order {
  const order = selectOrder().get(id) as unknown as
    | Omit<Order, "items">
    | undefined;
  if (order === undefined) throw new HttpError(404, `There is no order ${id}`);
  const items = selectItems().all(id) as unknown as Order["items"];
  return { ...order, items };
}
