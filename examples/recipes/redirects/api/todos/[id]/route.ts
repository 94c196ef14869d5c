import type { FrameworkRequest } from "@bough/framework";
import { redirect } from "../../../redirect.ts";

/** Has moved to `/api/tasks/[id]`, for all methods: 308 keeps method and body. */
function moved(request: FrameworkRequest<"/todos/[id]">): Response {
  const { search } = new URL(request.url);
  // Parameters are decoded; one may hold "/" or "?".
  const id = encodeURIComponent(request.params.id);
  return redirect(`/api/tasks/${id}${search}`, 308);
}

export { moved as DELETE, moved as GET, moved as PATCH, moved as PUT };
