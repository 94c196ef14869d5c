/** Times of `respond()` next to `Response.json()`, by the size of the value. */
import { respond } from "@bough/framework";
import { z } from "zod";
import { isDeclared } from "../../../src/core/schema/sent_members.ts";
import { shapeOf } from "../../../src/core/schema/sides.ts";

const Book = z.object({
  id: z.number(),
  title: z.string(),
  author: z.object({ id: z.number(), name: z.string() }),
  cents: z.int(),
  tags: z.array(z.string()),
});
const Unions = z.array(z.union([Book.extend({ isbn: z.string() }), Book]));
const schema = {
  get: { response: Book },
  post: {
    response: {
      201: { body: Book, headers: z.object({ location: z.string() }) },
    },
  },
  put: { response: z.array(Book) },
  patch: { response: Unions },
};
const book = {
  id: 1,
  title: "Emma",
  author: { id: 7, name: "Jane Austen" },
  cents: 1200,
  tags: ["novel", "classic"],
};
const books = Array.from({ length: 100 }, (_, id) => ({ ...book, id }));
const row = { ...book, hash: "x", author: { ...book.author, hash: "x" } };
const rows = Array.from({ length: 100 }, (_, id) => ({ ...row, id }));
const headers = { location: "/a" };

Deno.bench("Response.json()", { group: "one", baseline: true }, () => {
  Response.json(book);
});
Deno.bench("respond()", { group: "one" }, () => {
  respond(schema.get, 200, book);
});
Deno.bench("respond(), with undeclared members", { group: "one" }, () => {
  respond(schema.get, 200, row);
});
Deno.bench("Response.json() 201", { group: "headers", baseline: true }, () => {
  Response.json(book, { status: 201, headers });
});
Deno.bench("respond() 201", { group: "headers" }, () => {
  respond(schema.post, 201, book, { headers });
});
Deno.bench("Response.json() of 100", { group: "list", baseline: true }, () => {
  Response.json(books);
});
Deno.bench("respond() of 100", { group: "list" }, () => {
  respond(schema.put, 200, books);
});
Deno.bench(
  "respond() of 100, with undeclared members",
  { group: "list" },
  () => {
    respond(schema.put, 200, rows);
  },
);
Deno.bench("respond() of 100, in a union", { group: "list" }, () => {
  respond(schema.patch, 200, books);
});
Deno.bench("the walk of 100", { group: "list" }, () => {
  isDeclared(books, shapeOf(schema.put.response));
});
