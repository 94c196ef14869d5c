import { type FrameworkRequest, HttpError } from "@bough/framework";
import { z } from "zod";
import { cents, text } from "../../schemas.ts";
import { addBook, findBooks } from "../../store/books.ts";

export const schema = {
  post: { body: z.strictObject({ title: text, author: text, cents }) },
};

/** `/api/books?search=dick&limit=10&offset=0` */
export function GET(request: FrameworkRequest): Response {
  const { searchParams } = new URL(request.url);
  return Response.json(findBooks(searchParams.get("search") ?? "", {
    limit: wholeNumber(searchParams, "limit", 20),
    offset: wholeNumber(searchParams, "offset", 0),
  }));
}

export function POST(request: FrameworkRequest<typeof schema.post>): Response {
  const book = addBook(request.validated.body);
  return Response.json(book, {
    status: 201,
    headers: { location: `/api/books/${book.id}` },
  });
}

function wholeNumber(
  searchParams: URLSearchParams,
  name: string,
  fallback: number,
): number {
  const value = searchParams.get(name);
  if (value === null) return fallback;
  if (/^\d{1,3}$/.test(value)) return Number(value);
  throw new HttpError(400, `"${name}" must be a number from 0 to 999`);
}
