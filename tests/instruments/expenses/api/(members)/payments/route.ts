import {
  type FrameworkRequest,
  respond,
  type RouteSchema,
} from "@bough/framework";
import { Problem } from "@bough/framework/openapi";
import { z } from "zod";
import { NEWEST, Page, pageOf, toPage } from "../../../pages.ts";
import { cents, created, line, Payment } from "../../../schemas.ts";
import { store } from "../../../store/database.ts";
import { listPayments, payOnce } from "../../../store/payments.ts";
import { viewer } from "../../../store/users.ts";

export const schema = {
  get: {
    summary: "List the payments to you, the newest first",
    query: Page,
    response: { 200: pageOf(Payment) },
  },
  post: {
    summary: "Have an approved report paid, as a whole or in parts",
    description: "A repeated request with the same key pays only once.",
    headers: z.object({
      "idempotency-key": z.string().regex(/^[\w.:-]{8,100}$/),
    }),
    body: z.strictObject({
      reportId: z.int().min(1),
      cents,
      reference: line(140).nullable().default(null),
    }),
    response: {
      201: created(Payment),
      404: Problem,
      409: Problem,
      422: Problem,
    },
  },
} satisfies RouteSchema;

export function GET(request: FrameworkRequest<typeof schema.get>): Response {
  const { after = NEWEST, limit } = request.validated.query;
  const data = store.get(request);
  const payments = listPayments(data, viewer.get(request), after, limit + 1);
  const { page, headers } = toPage(request, payments, limit);
  return respond(schema.get, 200, page, { headers });
}

export async function POST(
  request: FrameworkRequest<typeof schema.post>,
): Promise<Response> {
  const { headers, body } = request.validated;
  const payment = await payOnce(
    store.get(request),
    viewer.get(request),
    headers["idempotency-key"],
    body,
  );
  return respond(schema.post, 201, payment, {
    headers: { location: `/api/payments/${payment.id}` },
  });
}
