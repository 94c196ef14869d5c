import {
  type FrameworkRequest,
  respond,
  type RouteSchema,
} from "@bough/framework";
import { Problem } from "@bough/framework/openapi";
import {
  assertMatch,
  notModified,
  preconditions,
} from "@bough/framework/protect";
import { z } from "zod";
import { Book, id } from "@/schemas.ts";
import { getBook, setStock, tagOf } from "@/store/books.ts";

const params = z.object({ bookId: id });
const version = { body: Book, headers: z.object({ etag: z.string() }) };

export const schema = {
  get: {
    summary: "Look at a book, and at the tag of its version",
    params,
    response: { 200: version, 404: Problem },
  },
  put: {
    summary: "Say how many copies of a book there are",
    params,
    body: z.strictObject({ stock: z.int().min(0).max(10_000) }),
    response: { 200: version, 404: Problem },
    mcp: { name: "set_stock" },
  },
} satisfies RouteSchema;

/** A stock count can name the version of its book. */
export const middleware = [preconditions()];

/** The group `(admin)` is not part of the URL: `/api/stock/1`. */
export function GET(request: FrameworkRequest<typeof schema.get>): Response {
  const book = getBook(request.validated.params.bookId);
  const headers = { etag: tagOf(book) };
  return notModified(request, headers.etag) ??
    respond(schema.get, 200, book, { headers });
}

/** With `If-Match`, a count does not overwrite the stock after a later order. */
export function PUT(request: FrameworkRequest<typeof schema.put>): Response {
  const { params, body } = request.validated;
  const book = setStock(params.bookId, body.stock, (current) => {
    assertMatch(request, tagOf(current));
  });
  return respond(schema.put, 200, book, { headers: { etag: tagOf(book) } });
}
