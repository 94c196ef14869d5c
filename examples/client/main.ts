/**
 * A client of the bookshop with the types of its routes: `deno check` finds a path, a
 * field or a status that the shop does not have. The client loads no code of the shop.
 *
 * Start the shop, then run `deno run --allow-net main.ts`.
 */
import { type Client, createClient } from "@bough/framework/client";
import type { Routes } from "../bookshop/api.types.ts";

/** Orders a book by a part of its title, and returns the outcome as text. */
export async function orderByTitle(
  bookshop: Client<Routes>,
  search: string,
): Promise<string> {
  const found = await bookshop.GET("/books", { query: { search, limit: "1" } });
  if (found.status !== 200) return `The search failed: ${found.status}`;
  const [book] = found.data;
  if (book === undefined) return `There is no "${search}"`;

  const ordered = await bookshop.POST("/orders", {
    body: { email: "ada@example.com", items: [{ bookId: book.id, count: 1 }] },
  });
  if (ordered.status === 201) {
    return `Ordered "${book.title}" as number ${ordered.data.id}`;
  }
  return ordered.problem?.detail ?? `The order failed: ${ordered.status}`;
}

if (import.meta.main) {
  const bookshop = createClient<Routes>({
    baseUrl: "http://localhost:8000/api",
  });
  console.log(await orderByTitle(bookshop, "emma"));
}
