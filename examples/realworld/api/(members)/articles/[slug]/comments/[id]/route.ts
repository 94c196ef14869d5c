import { respond, type RouteSchema } from "@bough/framework";
import { z } from "zod";
import type { RequestOf } from "@/api.types.ts";
import { Failure } from "@/errors.ts";
import { removeComment } from "@/store/comments.ts";
import { viewer } from "@/store/database.ts";

export const schema = {
  delete: {
    summary: "Remove your comment",
    access: "owner",
    params: z.object({ slug: z.string(), id: z.coerce.number().int() }),
    response: { 204: {}, 403: Failure, 404: Failure },
  },
} satisfies RouteSchema;

export function DELETE(
  request: RequestOf<"/articles/[slug]/comments/[id]", "DELETE">,
): Response {
  const { slug, id } = request.validated.params;
  removeComment(viewer.get(request), slug, id);
  return respond(schema.delete, 204);
}
