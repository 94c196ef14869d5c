import type { FrameworkRequest, RouteSchema } from "@bough/framework";
import { sign } from "hono/jwt";
import { z } from "zod";
import { sendMail } from "../../mail.ts";
import { current } from "../../services.ts";

export const schema = {
  post: { body: z.object({ email: z.email() }) },
} satisfies RouteSchema;

/** Adds a user, and sends a token by mail. */
export async function POST(
  request: FrameworkRequest<typeof schema.post>,
): Promise<Response> {
  const { db, options } = current.get(request);
  const { email } = request.validated.body;
  db.prepare("INSERT OR IGNORE INTO users (email) VALUES (?)").run(email);
  const { id } = db.prepare("SELECT id FROM users WHERE email = ?").get(email)!;
  const text = await sign({ id }, options.secret, "HS256");
  await sendMail(options.mailServer, email, text);
  return Response.json({ sent: true });
}
