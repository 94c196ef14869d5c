import type { FrameworkRequest, RouteSchema } from "@bough/framework";
import { z } from "zod";
import { sendMails, storeMail } from "../../mails.ts";

export const schema = {
  post: { body: z.object({ email: z.email() }) },
} satisfies RouteSchema;

let orders = 0;

/** Takes an order. The client does not wait for the mail. */
export function POST(request: FrameworkRequest<typeof schema.post>): Response {
  const id = ++orders;
  storeMail(request.validated.body.email, `Thank you for order ${id}`);
  request.waitUntil(sendMails());
  return Response.json({ id }, { status: 201 });
}
