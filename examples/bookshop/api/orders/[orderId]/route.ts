import { type FrameworkRequest, respond } from "@bough/framework";
import { Problem } from "@bough/framework/openapi";
import { z } from "zod";
import { id, Order } from "@/schemas.ts";
import { getOrder } from "@/store/orders.ts";

export const schema = {
  get: {
    summary: "Look at an order",
    params: z.object({ orderId: id }),
    response: { 200: Order, 404: Problem },
  },
};

export function GET(request: FrameworkRequest<typeof schema.get>): Response {
  return respond(schema.get, 200, getOrder(request.validated.params.orderId));
}
