import {
  type FrameworkRequest,
  HttpError,
  type RouteSchema,
} from "@bough/framework";
import { z } from "zod";
import { endSession, startSession } from "../../sessions.ts";
import { isUser } from "../../users.ts";

export const schema = {
  post: {
    body: z.object({
      user: z.string().max(100),
      password: z.string().max(1_000),
    }),
  },
} satisfies RouteSchema;

/** Signs in. */
export async function POST(
  request: FrameworkRequest<typeof schema.post>,
): Promise<Response> {
  const { user, password } = request.validated.body;
  if (!await isUser(user, password)) {
    throw new HttpError(403, "User or password is wrong"); // not which of them
  }
  const headers = new Headers();
  startSession(request, headers, user);
  return new Response(null, { status: 204, headers });
}

/** Signs out. */
export function DELETE(request: FrameworkRequest): Response {
  const headers = new Headers();
  endSession(request, headers);
  return new Response(null, { status: 204, headers });
}
