import type { FrameworkRequest } from "../../../../../../../mod.ts";

export function GET(request: FrameworkRequest): Response {
  return new Response(request.params.id);
}
