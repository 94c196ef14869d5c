import { HttpError } from "@bough/framework";
import { z } from "zod";
import { listener, redis, replyOf } from "@/redis.ts";

export const NewOrder = z.strictObject({
  product: z.string().min(1).max(100),
  count: z.int().min(1).max(100),
});

export const Order = NewOrder.extend({
  id: z.string(),
  customer: z.string(),
});
export type Order = z.infer<typeof Order>;

/** The stream of all orders. Redis gives its entries ids in the order of commits. */
const LOG = "orders";

/**
 * Stores an order and its entry in the log, both or neither. If the order exists, the
 * script changes nothing, and returns the order as it was first placed.
 */
const PLACE = `
local existing = redis.call("SET", KEYS[1], ARGV[1], "NX", "GET")
if existing then return existing end
redis.call("XADD", KEYS[2], "*", "order", ARGV[1])
return ARGV[1]`;

/** Places an order once, however often it is called with the same id. */
export async function placeOrder(order: Order): Promise<Order> {
  const keys = [`order:${order.id}`, LOG];
  const command = { keys, arguments: [JSON.stringify(order)] };
  return parse(await replyOf(redis.eval(PLACE, command)));
}

export async function findOrder(id: string): Promise<Order | undefined> {
  const text = await replyOf(redis.get(`order:${id}`));
  return text === null ? undefined : parse(text);
}

/** An order, and its position in the log. */
export type Entry = Readonly<{ id: string; order: Order }>;

/** The first orders after a position in the log, the oldest first. */
export async function ordersAfter(id: string): Promise<Entry[]> {
  const reply = redis.xRange(LOG, `(${id}`, "+", { COUNT: 100 });
  const entries = await replyOf(reply);
  return (entries ?? []).map(({ id, message }) => ({
    id,
    order: parse(message.order),
  }));
}

function parse(text: unknown): Order {
  return Order.parse(JSON.parse(String(text)));
}

let news = Promise.withResolvers<void>();

/** Wakes all followers of the log in this process, until the connection closes. */
export async function listen(): Promise<void> {
  let id = "$";
  while (listener.isOpen) {
    try {
      const found = await listener.xRead({ key: LOG, id }, { BLOCK: 1_000 });
      id = found?.[0]?.messages.at(-1)?.id ?? id;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    // Even after a timeout or an error, since an entry may have been missed. This is
    // only a hint: each follower knows its own position.
    news.resolve();
    news = Promise.withResolvers();
  }
}

/** Yields the orders after a position, and then each new order. */
export async function* follow(
  position: string,
  signal: AbortSignal,
): AsyncGenerator<Entry> {
  while (!signal.aborted) {
    // Taken before the read, so that no hint is missed.
    const { promise } = news;
    const entries = await ordersAfter(position).catch((error) => {
      if (error instanceof HttpError) return []; // continues when Redis is back
      throw error;
    });
    for (const entry of entries) {
      yield entry;
      position = entry.id;
    }
    if (entries.length === 0) await promise;
  }
}
