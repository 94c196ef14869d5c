import { respond, type RouteSchema } from "@bough/framework";
import { z } from "zod";
import type { RequestOf } from "@/api.types.ts";
import { Article, ArticleList, everyone, NewArticle, Page } from "@/schemas.ts";
import { addArticle, listArticles } from "@/store/articles.ts";
import { viewer } from "@/store/database.ts";

const name = z.string().exactOptional();

export const schema = {
  get: {
    summary: "List articles",
    security: everyone,
    access: "public",
    query: Page.extend({ tag: name, author: name, favorited: name }),
    response: ArticleList,
  },
  post: {
    summary: "Write an article",
    body: z.object({ article: NewArticle }),
    response: { 201: z.object({ article: Article }) },
  },
} satisfies RouteSchema;

export function GET(request: RequestOf<"/articles", "GET">): Response {
  const list = listArticles(viewer.get(request), request.validated.query);
  return respond(schema.get, 200, list);
}

export function POST(request: RequestOf<"/articles", "POST">): Response {
  const { article } = request.validated.body;
  const added = addArticle(viewer.get(request), article);
  return respond(schema.post, 201, { article: added });
}
