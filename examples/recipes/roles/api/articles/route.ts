import {
  type FrameworkRequest,
  respond,
  type RouteSchema,
} from "@bough/framework";
import { z } from "zod";
import { Article, articles, Draft } from "../../articles.ts";
import { user } from "../../user.ts";

export const schema = {
  get: {
    security: [{ bearer: [] }, {}], // a token is optional
    access: "public",
    response: z.array(Article.extend({ isMine: z.boolean() })),
  },
  post: {
    security: [{ bearer: ["write"] }],
    access: "shared",
    body: Draft,
    response: { 201: Article },
  },
} satisfies RouteSchema;

/** Lists the articles for everyone, and marks the articles of the user. */
export function GET(request: FrameworkRequest): Response {
  const reader = user.find(request)?.name;
  const marked = [...articles.values()]
    .map((article) => ({ ...article, isMine: article.author === reader }));
  return respond(schema.get, 200, marked);
}

/** Adds an article of the user. */
export function POST(request: FrameworkRequest<typeof schema.post>): Response {
  const article: Article = {
    id: crypto.randomUUID(),
    title: request.validated.body.title,
    author: user.get(request).name, // never from the body
    isPinned: false,
  };
  articles.set(article.id, article);
  return respond(schema.post, 201, article);
}
