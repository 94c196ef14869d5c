import {
  type FrameworkRequest,
  respond,
  type RouteSchema,
} from "@bough/framework";
import { Problem } from "@bough/framework/openapi";
import { z } from "zod";
import { created, id, Review, text } from "@/schemas.ts";
import { addReview, reviewsOf } from "@/store/reviews.ts";

const params = z.object({ bookId: id });

export const schema = {
  get: {
    summary: "List the reviews of a book",
    params,
    response: { 200: z.array(Review), 404: Problem },
  },
  post: {
    summary: "Review a book",
    params,
    body: z.strictObject({ stars: z.int().min(1).max(5), text }),
    response: { 201: created(Review), 404: Problem },
  },
} satisfies RouteSchema;

/** Reviews are short; a larger body gets 413. */
export const config = { bodyLimit: 3_000 };

export function GET(request: FrameworkRequest<typeof schema.get>): Response {
  return respond(schema.get, 200, reviewsOf(request.validated.params.bookId));
}

export function POST(request: FrameworkRequest<typeof schema.post>): Response {
  const { params: { bookId }, body } = request.validated;
  const review = addReview(bookId, body);
  return respond(schema.post, 201, review, {
    headers: { location: `/api/books/${bookId}/reviews/${review.id}` },
  });
}
