import { respond } from "@bough/framework";
import { Books } from "@/schemas.ts";
import { featuredBooks } from "@/store/books.ts";

export const schema = {
  get: { summary: "List the books that the shop recommends", response: Books },
};

/** A static folder, which precedes its sibling `[bookId]`. */
export function GET(): Response {
  return respond(schema.get, 200, featuredBooks());
}
