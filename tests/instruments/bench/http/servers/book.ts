import { z } from "zod";

export const Book = z.object({
  title: z.string().min(1),
  author: z.string().min(1),
  cents: z.int().min(0),
  tags: z.array(z.string()),
});

/** The headers of the cases with headers; every client sends them. */
export const Addressed = z.object({ host: z.string().min(1) });

/** The query of the cases with a query that zod checks. */
export const Search = z.object({
  q: z.string().min(1),
  page: z.coerce.number(),
});

/** The headers of a client, which sends others, too. */
export const Caller = z.object({
  authorization: z.string().startsWith("Bearer "),
  "x-tenant": z.string().min(1),
});

/** The value and the schema of the case with a list. */
export const Books = z.array(Book.extend({ id: z.int() }));
export const BOOKS: z.infer<typeof Books> = Array.from(
  { length: 100 },
  (_, id) => ({
    title: "Emma",
    author: "Jane Austen",
    cents: 1200,
    tags: ["novel", "classic"],
    id,
  }),
);
