/** Serves the prefix itself: `/api`. */
export function GET(): Response {
  return Response.json({
    shop: "Bough Books",
    books: "/api/books",
    featured: "/api/books/featured",
    authors: "/api/authors",
  });
}
