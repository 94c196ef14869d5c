import { type FrameworkRequest, HttpError, respond } from "@bough/framework";
import { idempotencyKey } from "@bough/framework/protect";
import { NewOrder, Order, placeOrder } from "@/orders.ts";
import { customer } from "./middleware.ts";

export const schema = { post: { body: NewOrder, response: { 201: Order } } };

export async function POST(
  request: FrameworkRequest<typeof schema.post>,
): Promise<Response> {
  // If a process dies between the order and the response, the repeated request runs
  // this handler again. The id is the same, so it finds the order.
  const id = idempotencyKey.get(request);
  const { body } = request.validated;
  const name = customer.get(request);
  const order = await placeOrder({ id, customer: name, ...body });
  if (order.product !== body.product || order.count !== body.count) {
    throw new HttpError(422, "The key was used for another order");
  }
  return respond(schema.post, 201, order, {
    headers: { location: `/api/orders/${id}` },
  });
}
