import { respond, type RouteSchema } from "@bough/framework";
import { z } from "zod";
import type { RequestOf } from "@/api.types.ts";
import { isPassword, withToken } from "@/auth.ts";
import { Failure, unauthorized } from "@/errors.ts";
import { password, UserResponse } from "@/schemas.ts";
import { viewer } from "@/store/database.ts";
import { findUser } from "@/store/users.ts";

export const schema = {
  post: {
    summary: "Log in",
    access: "public",
    body: z.object({ user: z.object({ email: z.email(), password }) }),
    response: { 200: UserResponse, 401: Failure },
  },
} satisfies RouteSchema;

export async function POST(
  request: RequestOf<"/users/login", "POST">,
): Promise<Response> {
  const { db } = viewer.get(request);
  const { email, password } = request.validated.body.user;
  const user = findUser(db, { email });
  if (await isPassword(db, user, password) && user) {
    return respond(schema.post, 200, await withToken(db, user));
  }
  throw unauthorized("Email or password is wrong");
}
