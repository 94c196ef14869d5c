/// <reference lib="dom" />
/** The script of a page in the browser that searches the bookshop. */
import { createClient } from "@bough/framework/client";
// As in another repository, which has only the types.
import type { Routes } from "./bookshop.types.ts";

const bookshop = createClient<Routes>();
const form = document.querySelector("form")!;
const list = document.querySelector("ul")!;

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const search = String(new FormData(form).get("search"));
  const found = await bookshop.GET("/books", { query: { search } });
  if (found.status !== 200) {
    return show([`The search failed: ${found.problem?.title ?? found.status}`]);
  }
  const books = await Promise.all(found.data.map(async ({ id, title }) => {
    const params = { bookId: String(id) };
    const reviews = await bookshop.GET("/books/[bookId]/reviews", { params });
    const stars = reviews.status === 200
      ? reviews.data.map(({ stars }) => "★".repeat(stars))
      : [];
    return [title, ...stars].join(" ");
  }));
  show(books);
});

function show(lines: readonly string[]): void {
  list.replaceChildren(...lines.map((line) => {
    const item = document.createElement("li");
    item.textContent = line;
    return item;
  }));
}
