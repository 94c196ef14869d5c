import { respond, type RouteSchema } from "@bough/framework";
import { z } from "zod";
import type { RequestOf } from "@/api.types.ts";
import { hashPassword, withToken } from "@/auth.ts";
import { Failure } from "@/errors.ts";
import { password, text, UserResponse } from "@/schemas.ts";
import { viewer } from "@/store/database.ts";
import { saveUser } from "@/store/users.ts";

const NewUser = z.object({ username: text, email: z.email(), password });

export const schema = {
  post: {
    summary: "Register",
    access: "public",
    body: z.object({ user: NewUser }),
    response: { 201: UserResponse, 422: Failure },
  },
} satisfies RouteSchema;

export async function POST(
  request: RequestOf<"/users", "POST">,
): Promise<Response> {
  const { db } = viewer.get(request);
  const { user } = request.validated.body;
  const password = await hashPassword(db, user.password);
  const added = saveUser(db, { ...user, password, bio: null, image: null });
  return respond(schema.post, 201, await withToken(db, added));
}
