import { type FrameworkRequest, HttpError, respond } from "@bough/framework";
import { Problem } from "@bough/framework/openapi";
import { findOrder, Order } from "@/orders.ts";
import { customer } from "../middleware.ts";

export const schema = { get: { response: { 200: Order, 404: Problem } } };

export async function GET(
  request: FrameworkRequest<typeof schema.get, "/orders/[orderId]">,
): Promise<Response> {
  const order = await findOrder(request.params.orderId);
  if (order?.customer !== customer.get(request)) throw new HttpError(404);
  return respond(schema.get, 200, order);
}
