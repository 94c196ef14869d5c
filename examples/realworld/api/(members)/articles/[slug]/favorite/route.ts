import type { FrameworkRequest, RouteSchema } from "@bough/framework";
import { respond } from "@bough/framework";
import { z } from "zod";
import { Failure } from "@/errors.ts";
import { Article } from "@/schemas.ts";
import { favorite } from "@/store/articles.ts";
import { viewer } from "@/store/database.ts";

const response = { 200: z.object({ article: Article }), 404: Failure };

export const schema = {
  post: { summary: "Mark an article as your favorite", response },
  delete: { summary: "Remove an article from your favorites", response },
} satisfies RouteSchema;

type Request = FrameworkRequest<"/articles/[slug]/favorite">;

export function POST(request: Request): Response {
  const article = favorite(viewer.get(request), request.params.slug, true);
  return respond(schema.post, 200, { article });
}

export function DELETE(request: Request): Response {
  const article = favorite(viewer.get(request), request.params.slug, false);
  return respond(schema.delete, 200, { article });
}
