import type { FrameworkRequest } from "@bough/framework";
import { z } from "zod";
import { placeOrder } from "../../store/orders.ts";

export const schema = {
  post: {
    body: z.strictObject({
      email: z.email(),
      items: z.array(z.strictObject({
        bookId: z.int().min(1),
        count: z.int().min(1).max(100),
      })).min(1),
    }),
  },
};

export function POST(request: FrameworkRequest<typeof schema.post>): Response {
  const order = placeOrder(request.validated.body);
  return Response.json(order, {
    status: 201,
    headers: { location: `/api/orders/${order.id}` },
  });
}
