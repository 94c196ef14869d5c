import { type FrameworkRequest, respond } from "@bough/framework";
import { Problem } from "@bough/framework/openapi";
import { database } from "@/database.ts";
import { listOrders, NewOrder, Order, placeOrder } from "@/orders.ts";
import { customer } from "./middleware.ts";

export const schema = {
  get: { response: { 200: Order.array() } },
  post: { body: NewOrder, response: { 201: Order, 409: Problem } },
};

export async function GET(request: FrameworkRequest): Promise<Response> {
  const orders = await listOrders(database.get(request), customer.get(request));
  return respond(schema.get, 200, orders);
}

export async function POST(
  request: FrameworkRequest<typeof schema.post>,
): Promise<Response> {
  const order = await placeOrder(database.get(request), {
    ...request.validated.body,
    customer: customer.get(request),
  });
  return respond(schema.post, 201, order, {
    headers: { location: `/api/orders/${order.id}` },
  });
}
