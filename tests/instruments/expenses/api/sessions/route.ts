import { type FrameworkRequest, respond } from "@bough/framework";
import { Problem } from "@bough/framework/openapi";
import { z } from "zod";
import { password, Session } from "../../schemas.ts";
import { store } from "../../store/database.ts";
import { logIn } from "../../store/users.ts";

export const schema = {
  post: {
    summary: "Log in",
    access: "public",
    body: z.strictObject({ email: z.email().max(200), password }),
    response: { 201: Session, 401: Problem },
  },
};

export function POST(request: FrameworkRequest<typeof schema.post>): Response {
  const { email, password } = request.validated.body;
  const session = logIn(store.get(request), email, password);
  return respond(schema.post, 201, session, {
    headers: { "cache-control": "no-store" },
  });
}
