import type { FrameworkRequest } from "@bough/framework";
import { currentUser } from "../../../../../users.ts";

export function GET(request: FrameworkRequest): Response {
  const owner = currentUser.get(request).username;
  return Response.json([{ item_id: "Foo", owner }]);
}
