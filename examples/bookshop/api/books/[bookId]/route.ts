import type { FrameworkRequest, RouteSchema } from "@bough/framework";
import { z } from "zod";
import { cents, id, text } from "../../../schemas.ts";
import { changeBook, getBook, removeBook } from "../../../store/books.ts";

const params = z.object({ bookId: id });

export const schema = {
  get: { params },
  patch: { params, body: z.strictObject({ title: text, cents }).partial() },
  delete: { params },
} satisfies RouteSchema;

export function GET(request: FrameworkRequest<typeof schema.get>): Response {
  return Response.json(getBook(request.validated.params.bookId));
}

export function PATCH(
  request: FrameworkRequest<typeof schema.patch>,
): Response {
  const { params, body } = request.validated;
  return Response.json(changeBook(params.bookId, body));
}

export function DELETE(
  request: FrameworkRequest<typeof schema.delete>,
): Response {
  removeBook(request.validated.params.bookId);
  return new Response(null, { status: 204 });
}
