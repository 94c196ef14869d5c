import { type FrameworkRequest, respond } from "@bough/framework";
import { Problem } from "@bough/framework/openapi";
import { z } from "zod";
import { database } from "@/database.ts";
import { cancelOrder, findOrder, Order } from "@/orders.ts";
import { customer } from "../middleware.ts";

const params = z.object({ orderId: z.uuid() });

export const schema = {
  get: { params, response: { 200: Order, 404: Problem } },
  delete: { params, response: { 204: {}, 404: Problem } },
};

export async function GET(
  request: FrameworkRequest<typeof schema.get, "/orders/[orderId]">,
): Promise<Response> {
  const order = await findOrder(database.get(request), keyOf(request));
  return respond(schema.get, 200, order);
}

export async function DELETE(
  request: FrameworkRequest<typeof schema.delete, "/orders/[orderId]">,
): Promise<Response> {
  await cancelOrder(database.get(request), keyOf(request));
  return respond(schema.delete, 204);
}

function keyOf(request: FrameworkRequest<"/orders/[orderId]">) {
  return { id: request.params.orderId, customer: customer.get(request) };
}
