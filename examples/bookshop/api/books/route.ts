import {
  type FrameworkRequest,
  respond,
  type RouteSchema,
} from "@bough/framework";
import { Problem } from "@bough/framework/openapi";
import { z } from "zod";
import { Book, Books, cents, created, smallNumber, text } from "@/schemas.ts";
import { addBook, findBooks } from "@/store/books.ts";

export const schema = {
  get: {
    summary: "Search the books by title",
    query: z.object({
      search: z.string().default("").describe("A part of the title"),
      limit: smallNumber.default(20).describe("How many to list at most"),
      offset: smallNumber.default(0).describe("How many to pass over"),
    }),
    response: Books,
    mcp: { name: "search_books" },
  },
  post: {
    summary: "Add a book",
    body: z.strictObject({
      title: text.meta({ examples: ["Lodore"] }),
      author: text.meta({ examples: ["Mary Shelley"] }),
      cents,
    }),
    response: { 201: created(Book), 409: Problem },
  },
} satisfies RouteSchema;

/** `/api/books?search=dick&limit=10&offset=0` */
export function GET(request: FrameworkRequest<typeof schema.get>): Response {
  const { search, limit, offset } = request.validated.query;
  return respond(schema.get, 200, findBooks(search, { limit, offset }));
}

export function POST(request: FrameworkRequest<typeof schema.post>): Response {
  const book = addBook(request.validated.body);
  return respond(schema.post, 201, book, {
    headers: { location: `/api/books/${book.id}` },
  });
}
