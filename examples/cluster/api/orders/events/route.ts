import type { FrameworkRequest } from "@bough/framework";
import { events } from "@bough/framework/live";
import { follow, Order, ordersAfter } from "@/orders.ts";

export const schema = { get: { events: { placed: Order } } };

/**
 * Yields the orders of all customers, from the first or after `Last-Event-ID`, and then
 * each new order. In your service, only the staff may watch them.
 */
export async function GET(
  request: FrameworkRequest<typeof schema.get>,
): Promise<Response> {
  const last = request.headers.get("last-event-id") ?? "";
  const start = /^\d{1,15}-\d{1,15}$/.test(last) ? last : "0-0";
  await ordersAfter(start); // while Redis is unavailable, the client gets 503
  return events(request, async function* ({ signal }) {
    for await (const { id, order } of follow(start, signal)) {
      yield { event: "placed", id, data: order };
    }
  }, { retry: 200 });
}
