import { respond } from "@bough/framework";
import { z } from "zod";

export const schema = {
  get: {
    summary: "Where to begin",
    tags: ["shop"],
    response: z.object({
      shop: z.string(),
      books: z.string(),
      featured: z.string(),
      authors: z.string(),
    }),
  },
};

/** Serves the prefix itself: `/api`. */
export function GET(): Response {
  return respond(schema.get, 200, {
    shop: "Bough Books",
    books: "/api/books",
    featured: "/api/books/featured",
    authors: "/api/authors",
  });
}
