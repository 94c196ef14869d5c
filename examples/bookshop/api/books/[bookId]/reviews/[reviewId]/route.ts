import type { FrameworkRequest, RouteSchema } from "@bough/framework";
import { z } from "zod";
import { id } from "../../../../../schemas.ts";
import { getReview, removeReview } from "../../../../../store/reviews.ts";

const params = z.object({ bookId: id, reviewId: id });

export const schema = {
  get: { params },
  delete: { params },
} satisfies RouteSchema;

export function GET(request: FrameworkRequest<typeof schema.get>): Response {
  const { bookId, reviewId } = request.validated.params;
  return Response.json(getReview(bookId, reviewId));
}

export function DELETE(
  request: FrameworkRequest<typeof schema.delete>,
): Response {
  const { bookId, reviewId } = request.validated.params;
  removeReview(bookId, reviewId);
  return new Response(null, { status: 204 });
}
