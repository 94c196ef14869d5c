import type { FrameworkRequest, RouteSchema } from "@bough/framework";
import { z } from "zod";
import { pay, payments } from "../../payments.ts";

export const schema = {
  post: { body: z.object({ cents: z.int().positive() }) },
} satisfies RouteSchema;

export function GET(): Response {
  return Response.json(payments);
}

/** Needs to know nothing of keys: see the middleware. */
export async function POST(
  request: FrameworkRequest<typeof schema.post>,
): Promise<Response> {
  const payment = await pay(request.validated.body.cents);
  return Response.json(payment, {
    status: 201,
    headers: { location: `/api/payments/${payment.id}` },
  });
}
