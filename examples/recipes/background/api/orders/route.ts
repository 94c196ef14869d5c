import type { FrameworkRequest, RouteSchema } from "@bough/framework";
import { z } from "zod";
import { background } from "../../background.ts";
import { sendMail } from "../../mail.ts";

export const schema = {
  post: { body: z.object({ email: z.email() }) },
} satisfies RouteSchema;

let orders = 0;

/** Takes an order. The client does not wait for the mail. */
export function POST(request: FrameworkRequest<typeof schema.post>): Response {
  const { email } = request.validated.body;
  const id = orders + 1;
  // Add the mail first: if the queue is full, this throws, and no order is stored.
  background.add(
    request,
    `mail of order ${id}`,
    (signal) => sendMail(email, `Thank you for order ${id}`, signal),
  );
  orders = id;
  return Response.json({ id }, { status: 201 });
}
