import { HttpError } from "@bough/framework";
import { findBook } from "./books.ts";
import { announceChange } from "./changes.ts";
import { statement, transaction } from "./database.ts";

/** What a customer wants to buy. */
export interface NewOrder {
  email: string;
  items: { bookId: number; count: number }[];
}

/** How far an order is. */
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
 * Places an order at today's prices, as a whole or not at all: a 409 if too few
 * copies are left, a 422 if there is no such book.
 *
 * @param key A key of this order, if any. A process may end after it has placed the
 * order and before it has responded. The order is then not placed again.
 */
export function placeOrder({ email, items }: NewOrder, key?: string): Order {
  const id = transaction(() => {
    const earlier = key === undefined ? undefined : selectKey().get(key);
    if (earlier !== undefined) return Number(earlier.id);
    const orderId = Number(insertOrder().run(email).lastInsertRowid);
    for (const { bookId, count } of items) {
      const book = findBook(bookId);
      // Not a 404: the URL of the request is right, its body is not.
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

/** Says how far an order is; a 404 if none has this id. */
export function setStatus(id: number, status: Status): Order {
  if (updateStatus().run(status, id).changes > 0) announceChange();
  return getOrder(id);
}

/** One order with its items; a 404 if none has this id. */
export function getOrder(id: number): Order {
  const order = selectOrder().get(id) as unknown as
    | Omit<Order, "items">
    | undefined;
  if (order === undefined) throw new HttpError(404, `There is no order ${id}`);
  const items = selectItems().all(id) as unknown as Order["items"];
  return { ...order, items };
}
