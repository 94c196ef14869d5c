import { HttpError } from "@bough/framework";
import { getBook } from "./books.ts";
import { database, transaction } from "./database.ts";

/** What somebody wants to buy. */
export interface NewOrder {
  email: string;
  items: { bookId: number; count: number }[];
}

const insertOrder = database.prepare("INSERT INTO orders (email) VALUES (?)");
const insertItem = database.prepare(`
  INSERT INTO order_items (order_id, book_id, count) VALUES (?, ?, ?)
  ON CONFLICT DO UPDATE SET count = count + excluded.count
`);
const takeStock = database.prepare(
  "UPDATE books SET stock = stock - ? WHERE id = ? AND stock >= ?",
);
const selectOrder = database.prepare(
  "SELECT id, email FROM orders WHERE id = ?",
);
const selectItems = database.prepare(`
  SELECT book_id AS bookId, title, count, count * cents AS cents
  FROM order_items JOIN books ON books.id = book_id WHERE order_id = ?
`);

/** Places an order, whole or not at all; a 409 if too few copies are left. */
export function placeOrder(
  { email, items }: NewOrder,
): Record<string, unknown> {
  const id = transaction(() => {
    const orderId = Number(insertOrder.run(email).lastInsertRowid);
    for (const { bookId, count } of items) {
      const { title, stock } = getBook(bookId);
      if (takeStock.run(count, bookId, count).changes === 0) {
        throw new HttpError(409, `Only ${stock} of "${title}" are left`, {
          bookId,
          stock,
        });
      }
      insertItem.run(orderId, bookId, count);
    }
    return orderId;
  });
  return getOrder(id);
}

/** One order with its items; a 404 if there is none of this id. */
export function getOrder(id: number): Record<string, unknown> {
  const order = selectOrder.get(id);
  if (order === undefined) throw new HttpError(404, `There is no order ${id}`);
  return { ...order, items: selectItems.all(id) };
}
