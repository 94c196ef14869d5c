import type { FrameworkRequest } from "@bough/framework";
import { z } from "zod";
import { id } from "../../../schemas.ts";
import { getOrder } from "../../../store/orders.ts";

export const schema = { get: { params: z.object({ orderId: id }) } };

export function GET(request: FrameworkRequest<typeof schema.get>): Response {
  return Response.json(getOrder(request.validated.params.orderId));
}
