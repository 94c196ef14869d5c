import { respond } from "@bough/framework";
import { z } from "zod";
import { Author } from "@/schemas.ts";
import { allAuthors } from "@/store/authors.ts";

export const schema = {
  get: { summary: "List the authors by name", response: z.array(Author) },
};

export function GET(): Response {
  return respond(schema.get, 200, allAuthors());
}
