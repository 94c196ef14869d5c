import type { FrameworkRequest } from "../../../../../../mod.ts";
import { currentUser } from "../../access.ts";

export function GET(request: FrameworkRequest): Response {
  const { id, email, role } = currentUser.get(request);
  return Response.json({ id, email, role });
}
