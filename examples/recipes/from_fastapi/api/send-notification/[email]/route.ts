import {
  type FrameworkRequest,
  respond,
  type RouteSchema,
} from "@bough/framework";
import { z } from "zod";
import { send } from "../../../notifications.ts";

export const schema = {
  post: {
    params: z.object({ email: z.email() }),
    query: z.object({ q: z.string().max(100).optional() }),
    response: { 202: z.object({ message: z.string() }) },
  },
} satisfies RouteSchema;

export function POST(request: FrameworkRequest<typeof schema.post>): Response {
  const { params: { email }, query: { q } } = request.validated;
  if (q !== undefined) request.waitUntil(send(`found query: ${q}`));
  request.waitUntil(send(`message to ${email}`));
  return respond(schema.post, 202, { message: "Message sent" });
}
