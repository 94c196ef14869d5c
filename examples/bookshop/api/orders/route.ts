import { type FrameworkRequest, respond } from "@bough/framework";
import { Problem } from "@bough/framework/openapi";
import { idempotencyKey } from "@bough/framework/protect";
import { z } from "zod";
import { created, Order } from "@/schemas.ts";
import { placeOrder } from "@/store/orders.ts";

export const schema = {
  post: {
    summary: "Place an order",
    description: "All of it is taken from the stock, or nothing is.",
    body: z.strictObject({
      email: z.email(),
      items: z.array(z.strictObject({
        bookId: z.int().min(1),
        count: z.int().min(1).max(100),
      })).min(1),
    }),
    response: { 201: created(Order), 409: Problem, 422: Problem },
  },
};

export function POST(request: FrameworkRequest<typeof schema.post>): Response {
  const order = placeOrder(
    request.validated.body,
    idempotencyKey.find(request),
  );
  return respond(schema.post, 201, order, {
    headers: { location: `/api/orders/${order.id}` },
  });
}
