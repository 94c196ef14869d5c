import type { FrameworkRequest, RouteSchema } from "@bough/framework";
import { Problem } from "@bough/framework/openapi";
import { idempotent, memoryStore } from "@bough/framework/protect";
import { z } from "zod";
import { pay, payments } from "../../payments.ts";

const Payment = z.object({ id: z.int(), cents: z.int() });

export const schema = {
  get: { response: z.array(Payment) },
  post: {
    body: z.object({ cents: z.int().positive() }),
    response: { 201: Payment, 402: Problem },
  },
} satisfies RouteSchema;

/** With several processes, use `sqliteStore()` or your own store. */
export const middleware = {
  POST: [idempotent({ store: memoryStore(), required: true })],
};

export function GET(): Response {
  return Response.json(payments);
}

/** Pays; the middleware handles the keys. */
export async function POST(
  request: FrameworkRequest<typeof schema.post>,
): Promise<Response> {
  const payment = await pay(request.validated.body.cents);
  return Response.json(payment, { status: 201 });
}
