import type { FrameworkRequest } from "@bough/framework";

export function GET(request: FrameworkRequest<"/users/[username]">): Response {
  return Response.json({ username: request.params.username });
}
