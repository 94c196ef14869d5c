import type { FrameworkRequest } from "@bough/framework";
import { z } from "zod";
import { id } from "../../../schemas.ts";
import { getAuthor } from "../../../store/authors.ts";

export const schema = { get: { params: z.object({ authorId: id }) } };

export function GET(request: FrameworkRequest<typeof schema.get>): Response {
  return Response.json(getAuthor(request.validated.params.authorId));
}
