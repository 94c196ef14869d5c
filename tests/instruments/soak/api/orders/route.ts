import type { FrameworkRequest } from "@bough/framework";
import { z } from "zod";

/** A low limit, so that too large bodies are still small. */
export const config = { bodyLimit: 4_000 };

export const schema = {
  post: {
    body: z.strictObject({
      customer: z.string().min(1),
      items: z.array(z.strictObject({
        book: z.int().min(1),
        count: z.int().min(1).default(1),
      })).min(1),
    }),
  },
};

export function POST(request: FrameworkRequest<typeof schema.post>): Response {
  const order = request.validated.body;
  return Response.json(order, {
    status: 201,
    headers: { location: `/api/orders/${order.items.length}` },
  });
}
