/** Schemas that routes share. The documentation names schemas with an id. */
import { z } from "zod";

/** An id in a path: digits, as a number. */
export const id = z.string().regex(/^[1-9]\d{0,14}$/, "must be a whole number")
  .transform(Number);

/** A price in cents. */
export const cents = z.int().min(0).max(1_000_000).meta({ examples: [1200] });

/** A text that is not blank. */
export const text = z.string().trim().min(1).max(500);

/** A number in a query, from 0 to 999. */
export const smallNumber = z.string()
  .regex(/^\d{1,3}$/, "must be a number from 0 to 999").transform(Number);

/** A book of the shop. */
export const Book = z.object({
  id: z.int(),
  title: z.string().meta({ examples: ["Emma"] }),
  author: z.string().meta({ examples: ["Jane Austen"] }),
  cents: z.int().meta({ examples: [1200] }),
  stock: z.int().meta({ examples: [7] }),
}).meta({ id: "Book", description: "A book, and how many the shop has of it" });

/** Books, in the order of the route. */
export const Books = z.array(Book);

/** An author, without the books. */
export const Author = z.object({ id: z.int(), name: z.string() })
  .meta({ id: "Author" });

/** A review of a book. */
export const Review = z.object({
  id: z.int(),
  stars: z.int().min(1).max(5),
  text: z.string(),
}).meta({ id: "Review" });

/** The status of an order. */
export const Status = z.enum(["placed", "packed", "sent"]);

/** An order, at the prices of the day it was placed. */
export const Order = z.object({
  id: z.int(),
  email: z.email(),
  status: Status,
  items: z.array(z.object({
    bookId: z.int(),
    title: z.string(),
    count: z.int(),
    cents: z.int(),
  })),
}).meta({ id: "Order" });

/** The response to a created resource, with its path in a header. */
export function created<Schema extends z.ZodType>(body: Schema) {
  return {
    body,
    headers: z.object({
      location: z.string().describe("The path of the created resource"),
    }),
  };
}
