import type { FrameworkRequest } from "../../../../../../../mod.ts";

export function GET(request: FrameworkRequest): Response {
  return Response.json(request.wildcardParams);
}
