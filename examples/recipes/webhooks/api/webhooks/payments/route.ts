import type { FrameworkRequest, RouteSchema } from "@bough/framework";
import { z } from "zod";
import { addPayment } from "../../../payments.ts";

export const schema = {
  post: {
    body: z.object({
      type: z.literal("payment.succeeded"),
      data: z.object({ order: z.string(), cents: z.int().positive() }),
    }),
  },
} satisfies RouteSchema;

/** The middleware has checked the signature before the schema sees the body. */
export function POST(request: FrameworkRequest<typeof schema.post>): Response {
  addPayment(request.validated.body.data);
  return new Response(null, { status: 204 });
}
