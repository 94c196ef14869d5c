import type { FrameworkRequest, RouteSchema } from "@bough/framework";
import { z } from "zod";
import { listBooks } from "../../books.ts";
import { cursor, encodeCursor } from "../../cursor.ts";

export const schema = {
  get: {
    query: z.object({
      after: cursor,
      limit: z.stringFormat("a number", /^\d{1,3}$/).transform(Number)
        .pipe(z.number().min(1).max(100)).default(20),
    }),
  },
} satisfies RouteSchema;

/** Lists books by title; `Link` leads to the next page, if there is one. */
export function GET(request: FrameworkRequest<typeof schema.get>): Response {
  const { after, limit } = request.validated.query;
  const books = listBooks(after, limit + 1); // one more book shows that there is another page
  const page = books.slice(0, limit);
  const headers = new Headers();
  if (books.length > limit) {
    const { title, id } = page.at(-1)!;
    // Keeps the other parameters. A relative link works behind every proxy.
    const query = new URL(request.url).searchParams;
    query.set("after", encodeCursor([title, id]));
    headers.set("link", `<?${query}>; rel="next"`); // RFC 8288
  }
  return Response.json(page, { headers });
}
