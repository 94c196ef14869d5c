import {
  type FrameworkRequest,
  respond,
  type RouteSchema,
} from "@bough/framework";
import { Problem } from "@bough/framework/openapi";
import { z } from "zod";
import { Book, cents, id, text } from "@/schemas.ts";
import { changeBook, getBook, removeBook } from "@/store/books.ts";

const params = z.object({ bookId: id });

export const schema = {
  get: {
    summary: "Look at a book",
    params,
    response: { 200: Book, 404: Problem },
  },
  patch: {
    summary: "Change title or price",
    params,
    body: z.strictObject({ title: text, cents }).partial(),
    response: { 200: Book, 404: Problem, 409: Problem },
  },
  delete: {
    summary: "Remove a book that was never ordered",
    params,
    response: { 204: {}, 404: Problem, 409: Problem },
  },
} satisfies RouteSchema;

export function GET(request: FrameworkRequest<typeof schema.get>): Response {
  return respond(schema.get, 200, getBook(request.validated.params.bookId));
}

export function PATCH(
  request: FrameworkRequest<typeof schema.patch>,
): Response {
  const { params, body } = request.validated;
  return respond(schema.patch, 200, changeBook(params.bookId, body));
}

export function DELETE(
  request: FrameworkRequest<typeof schema.delete>,
): Response {
  removeBook(request.validated.params.bookId);
  return respond(schema.delete, 204);
}
