import { respond, type RouteSchema } from "@bough/framework";
import { z } from "zod";
import type { RequestOf } from "@/api.types.ts";
import { hashPassword, withToken } from "@/auth.ts";
import { Failure } from "@/errors.ts";
import { password, string, text, UserResponse } from "@/schemas.ts";
import { viewer } from "@/store/database.ts";
import { findUser, saveUser } from "@/store/users.ts";

const UserChanges = z.object({
  email: z.email().exactOptional(),
  username: text.exactOptional(),
  password: password.optional(),
  bio: string.nullable().exactOptional(),
  image: string.nullable().exactOptional(),
});

export const schema = {
  get: { summary: "Get your user", access: "owner", response: UserResponse },
  put: {
    summary: "Change your user",
    access: "owner",
    body: z.object({ user: UserChanges }),
    response: { 200: UserResponse, 422: Failure },
  },
} satisfies RouteSchema;

export async function GET(
  request: RequestOf<"/user", "GET">,
): Promise<Response> {
  const { db, id } = viewer.get(request);
  return respond(schema.get, 200, await withToken(db, findUser(db, { id })!));
}

export async function PUT(
  request: RequestOf<"/user", "PUT">,
): Promise<Response> {
  const { db, id } = viewer.get(request);
  const { password, ...changes } = request.validated.body.user;
  const hash = password && await hashPassword(db, password);
  const user = { ...findUser(db, { id })!, ...changes };
  if (hash) user.password = hash;
  return respond(schema.put, 200, await withToken(db, saveUser(db, user)));
}
