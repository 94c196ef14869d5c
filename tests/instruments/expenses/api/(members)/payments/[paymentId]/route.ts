import { type FrameworkRequest, respond } from "@bough/framework";
import { Problem } from "@bough/framework/openapi";
import { z } from "zod";
import { id, Payment } from "../../../../schemas.ts";
import { store } from "../../../../store/database.ts";
import { getPayment } from "../../../../store/payments.ts";
import { viewer } from "../../../../store/users.ts";

export const schema = {
  get: {
    summary: "Read a payment",
    params: z.object({ paymentId: id }),
    response: { 200: Payment, 404: Problem },
  },
};

export function GET(request: FrameworkRequest<typeof schema.get>): Response {
  const { paymentId } = request.validated.params;
  const data = store.get(request);
  const payment = getPayment(data, viewer.get(request), paymentId);
  return respond(schema.get, 200, payment);
}
