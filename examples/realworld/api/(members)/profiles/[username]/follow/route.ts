import type { FrameworkRequest, RouteSchema } from "@bough/framework";
import { respond } from "@bough/framework";
import { z } from "zod";
import { Failure } from "@/errors.ts";
import { Profile } from "@/schemas.ts";
import { viewer } from "@/store/database.ts";
import { follow } from "@/store/users.ts";

const response = { 200: z.object({ profile: Profile }), 404: Failure };

export const schema = {
  post: { summary: "Follow a user", response },
  delete: { summary: "Stop following a user", response },
} satisfies RouteSchema;

type Request = FrameworkRequest<"/profiles/[username]/follow">;

export function POST(request: Request): Response {
  const profile = follow(viewer.get(request), request.params.username, true);
  return respond(schema.post, 200, { profile });
}

export function DELETE(request: Request): Response {
  const profile = follow(viewer.get(request), request.params.username, false);
  return respond(schema.delete, 200, { profile });
}
