import type { FrameworkRequest } from "@bough/framework";

export function GET(request: FrameworkRequest<"/tasks/[id]">): Response {
  return Response.json({ id: request.params.id });
}

export async function PUT(
  request: FrameworkRequest<"/tasks/[id]">,
): Promise<Response> {
  return Response.json({ id: request.params.id, ...await request.json() });
}
