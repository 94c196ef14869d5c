import {
  type FrameworkRequest,
  respond,
  type RouteSchema,
} from "@bough/framework";
import { Problem } from "@bough/framework/openapi";
import { z } from "zod";
import { id, Review } from "@/schemas.ts";
import { getReview, removeReview } from "@/store/reviews.ts";

const params = z.object({ bookId: id, reviewId: id });

export const schema = {
  get: {
    summary: "Look at a review",
    params,
    response: { 200: Review, 404: Problem },
  },
  delete: {
    summary: "Remove a review",
    params,
    response: { 204: {}, 404: Problem },
  },
} satisfies RouteSchema;

export function GET(request: FrameworkRequest<typeof schema.get>): Response {
  const { bookId, reviewId } = request.validated.params;
  return respond(schema.get, 200, getReview(bookId, reviewId));
}

export function DELETE(
  request: FrameworkRequest<typeof schema.delete>,
): Response {
  const { bookId, reviewId } = request.validated.params;
  removeReview(bookId, reviewId);
  return respond(schema.delete, 204);
}
