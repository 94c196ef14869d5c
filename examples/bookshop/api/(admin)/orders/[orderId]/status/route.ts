import { type FrameworkRequest, respond } from "@bough/framework";
import { Problem } from "@bough/framework/openapi";
import { z } from "zod";
import { id, Order, Status } from "@/schemas.ts";
import { setStatus } from "@/store/orders.ts";

export const schema = {
  put: {
    summary: "Say how far an order is",
    params: z.object({ orderId: id }),
    body: z.strictObject({ status: Status }),
    response: { 200: Order, 404: Problem },
    mcp: { name: "set_order_status" },
  },
};

export function PUT(request: FrameworkRequest<typeof schema.put>): Response {
  const { params, body } = request.validated;
  return respond(schema.put, 200, setStatus(params.orderId, body.status));
}
