/**
 * A client of the bookshop, typed by its OpenAPI document: a path, a field or a
 * status that the shop does not have is found by `deno check`.
 *
 * Start the shop, then `deno run --allow-net main.ts`. After a change of the
 * shop's schemas, `deno run -A generate.ts` makes the types anew.
 */
import createClient from "openapi-fetch";
import type { paths } from "./bookshop.gen.ts";

/** Orders a book by a part of its title, and says what came of it. */
export async function orderByTitle(
  baseUrl: string,
  search: string,
): Promise<string> {
  const bookshop = createClient<paths>({ baseUrl });
  const found = await bookshop.GET("/api/books", {
    params: { query: { search, limit: "1" } },
  });
  if (found.error !== undefined) {
    return `The search failed: ${found.error.title}`;
  }
  const [book] = found.data;
  if (book === undefined) return `There is no "${search}"`;

  const { data: order, error: problem } = await bookshop.POST("/api/orders", {
    body: { email: "ada@example.com", items: [{ bookId: book.id, count: 1 }] },
  });
  if (problem !== undefined) return problem.detail ?? problem.title;
  return `Ordered "${book.title}" as number ${order.id}`;
}

if (import.meta.main) {
  console.log(await orderByTitle("http://localhost:8000", "emma"));
}
