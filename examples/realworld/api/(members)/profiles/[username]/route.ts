import { respond, type RouteSchema } from "@bough/framework";
import { z } from "zod";
import type { RequestOf } from "@/api.types.ts";
import { Failure } from "@/errors.ts";
import { everyone, Profile } from "@/schemas.ts";
import { viewer } from "@/store/database.ts";
import { getProfile } from "@/store/users.ts";

export const schema = {
  get: {
    summary: "Get a profile",
    security: everyone,
    access: "public",
    response: { 200: z.object({ profile: Profile }), 404: Failure },
  },
} satisfies RouteSchema;

export function GET(
  request: RequestOf<"/profiles/[username]", "GET">,
): Response {
  const profile = getProfile(viewer.get(request), request.params.username);
  return respond(schema.get, 200, { profile });
}
