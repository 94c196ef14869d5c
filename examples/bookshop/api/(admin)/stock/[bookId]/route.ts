import { type FrameworkRequest, respond } from "@bough/framework";
import { Problem } from "@bough/framework/openapi";
import { z } from "zod";
import { Book, id } from "@/schemas.ts";
import { setStock } from "@/store/books.ts";

export const schema = {
  put: {
    summary: "Say how many copies of a book there are",
    params: z.object({ bookId: id }),
    body: z.strictObject({ stock: z.int().min(0).max(10_000) }),
    response: { 200: Book, 404: Problem },
  },
};

/** The group `(admin)` is not part of the URL: `/api/stock/1`. */
export function PUT(request: FrameworkRequest<typeof schema.put>): Response {
  const { params, body } = request.validated;
  return respond(schema.put, 200, setStock(params.bookId, body.stock));
}
