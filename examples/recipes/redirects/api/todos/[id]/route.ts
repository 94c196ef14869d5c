import type { FrameworkRequest } from "@bough/framework";
import { redirect } from "../../../redirect.ts";

/** Redirects all methods to `/api/tasks/[id]`: 308 keeps the method and the body. */
function moved(request: FrameworkRequest<"/todos/[id]">): Response {
  const { search } = new URL(request.url);
  // Parameters are decoded, so the id may contain "/" or "?".
  const id = encodeURIComponent(request.params.id);
  return redirect(`/api/tasks/${id}${search}`, 308);
}

export { moved as DELETE, moved as GET, moved as PATCH, moved as PUT };
