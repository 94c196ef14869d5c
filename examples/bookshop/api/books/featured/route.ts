import { featuredBooks } from "../../../store/books.ts";

/** Static, so it comes before its neighbour `[bookId]`. */
export function GET(): Response {
  return Response.json(featuredBooks());
}
