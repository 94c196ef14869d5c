import { respond, type RouteSchema } from "@bough/framework";
import { z } from "zod";
import type { RequestOf } from "@/api.types.ts";
import { Failure } from "@/errors.ts";
import { Article, ArticleChanges, everyone } from "@/schemas.ts";
import { changeArticle, getArticle, removeArticle } from "@/store/articles.ts";
import { viewer } from "@/store/database.ts";

const failures = { 403: Failure, 404: Failure };

export const schema = {
  get: {
    summary: "Read an article",
    security: everyone,
    access: "public",
    response: { 200: z.object({ article: Article }), 404: Failure },
  },
  put: {
    summary: "Change your article",
    access: "owner",
    body: z.object({ article: ArticleChanges }),
    response: { 200: z.object({ article: Article }), ...failures },
  },
  delete: {
    summary: "Remove your article",
    access: "owner",
    response: { 204: {}, ...failures },
  },
} satisfies RouteSchema;

export function GET(request: RequestOf<"/articles/[slug]", "GET">): Response {
  const article = getArticle(viewer.get(request), request.params.slug);
  return respond(schema.get, 200, { article });
}

export function PUT(request: RequestOf<"/articles/[slug]", "PUT">): Response {
  const { params: { slug }, validated: { body } } = request;
  const article = changeArticle(viewer.get(request), slug, body.article);
  return respond(schema.put, 200, { article });
}

export function DELETE(
  request: RequestOf<"/articles/[slug]", "DELETE">,
): Response {
  removeArticle(viewer.get(request), request.params.slug);
  return respond(schema.delete, 204);
}
