import { type FrameworkRequest, respond } from "@bough/framework";
import { Problem } from "@bough/framework/openapi";
import { z } from "zod";
import { line, password, User } from "../../schemas.ts";
import { store } from "../../store/database.ts";
import { addUser } from "../../store/users.ts";

export const schema = {
  post: {
    summary: "Sign up",
    access: "public",
    body: z.strictObject({
      name: line(80),
      email: z.email().max(200),
      password,
    }),
    response: { 201: User, 409: Problem },
  },
};

export function POST(request: FrameworkRequest<typeof schema.post>): Response {
  const user = addUser(store.get(request), request.validated.body);
  return respond(schema.post, 201, user);
}
