import { HttpError } from "@bough/framework";
import { z } from "zod";
import type { Database } from "@/database.ts";

export const NewOrder = z.object({
  product: z.string().regex(/^[a-z]{1,50}$/),
  count: z.int().min(1).max(100),
  // Postgres stores no NUL.
  note: z.string().max(200).regex(/^[^\0]*$/).default(""),
});

export const Order = z.object({
  id: z.uuid(),
  customer: z.string(),
  product: z.string(),
  count: z.int(),
  note: z.string(),
  placed: z.iso.datetime(),
});
export type Order = z.infer<typeof Order>;

/** Takes an order from the stock: both, or neither. */
export async function placeOrder(
  db: Database,
  order: z.infer<typeof NewOrder> & Pick<Order, "customer">,
): Promise<Order> {
  const { product, count } = order;
  return await db.transaction().execute(async (db) => {
    // One statement checks and changes, so that no other order gets between.
    const { numUpdatedRows } = await db.updateTable("products")
      .set(({ eb }) => ({ stock: eb("stock", "-", count) }))
      .where("name", "=", product).where("stock", ">=", count)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) {
      throw new HttpError(409, `There are not ${count} of "${product}"`);
    }
    const id = crypto.randomUUID();
    return await db.insertInto("orders")
      .values({ ...order, id, placed: new Date().toISOString() })
      .returningAll().executeTakeFirstOrThrow();
  });
}

/** Puts an order back into the stock: both, or neither. */
export async function cancelOrder(
  db: Database,
  { id, customer }: Pick<Order, "id" | "customer">,
): Promise<void> {
  await db.transaction().execute(async (db) => {
    const { product, count } = await db.deleteFrom("orders")
      .where("id", "=", id).where("customer", "=", customer)
      .returning(["product", "count"]).executeTakeFirstOrThrow(missing);
    await db.updateTable("products")
      .set(({ eb }) => ({ stock: eb("stock", "+", count) }))
      .where("name", "=", product).execute();
  });
}

/** An order of a customer. */
export async function findOrder(
  db: Database,
  { id, customer }: Pick<Order, "id" | "customer">,
): Promise<Order> {
  return await db.selectFrom("orders").selectAll()
    .where("id", "=", id).where("customer", "=", customer)
    .executeTakeFirstOrThrow(missing);
}

/** The latest orders of a customer. */
export async function listOrders(
  db: Database,
  customer: string,
): Promise<Order[]> {
  return await db.selectFrom("orders").selectAll()
    .where("customer", "=", customer)
    .orderBy("placed", "desc").limit(100).execute();
}

function missing(): HttpError {
  return new HttpError(404, "You have no such order");
}
