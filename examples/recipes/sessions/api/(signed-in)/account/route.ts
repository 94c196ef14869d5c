import type { FrameworkRequest } from "@bough/framework";
import { session } from "../../../sessions.ts";

export function GET(request: FrameworkRequest): Response {
  return Response.json({ user: session.get(request).user });
}
