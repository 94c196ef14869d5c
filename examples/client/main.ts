/**
 * A client of the bookshop, typed by its OpenAPI document: `deno check` finds a
 * path, a field or a status that the shop does not have.
 *
 * Start the shop, then run `deno run --allow-net main.ts`. After a change of the
 * shop's schemas, run `deno run -A generate.ts` to generate the types again.
 */
import createClient from "openapi-fetch";
import type { paths } from "./bookshop.gen.ts";

/** Orders a book by a part of its title, and returns the outcome as text. */
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
