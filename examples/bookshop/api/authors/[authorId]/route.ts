import { type FrameworkRequest, respond } from "@bough/framework";
import { Problem } from "@bough/framework/openapi";
import { z } from "zod";
import { Author, id } from "@/schemas.ts";
import { getAuthor } from "@/store/authors.ts";

export const schema = {
  get: {
    summary: "Look at an author and the author's books",
    params: z.object({ authorId: id }),
    response: {
      200: Author.extend({
        books: z.array(z.object({ id: z.int(), title: z.string() })),
      }),
      404: Problem,
    },
  },
};

export function GET(request: FrameworkRequest<typeof schema.get>): Response {
  return respond(schema.get, 200, getAuthor(request.validated.params.authorId));
}
