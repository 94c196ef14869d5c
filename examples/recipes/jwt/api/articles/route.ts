import {
  type FrameworkRequest,
  respond,
  type RouteSchema,
} from "@bough/framework";
import { z } from "zod";
import { user } from "../../user.ts";

const Article = z.object({
  title: z.string().min(1).max(100),
  author: z.string(),
  isMine: z.boolean(),
});

export const schema = {
  get: {
    security: [{ bearer: [] }, {}], // a token is optional
    response: z.array(Article),
  },
  post: {
    body: Article.pick({ title: true }),
    response: { 201: Article },
  },
} satisfies RouteSchema;

const articles: { title: string; author: string }[] = [];

/** Lists the articles for everyone, and marks the articles of the user. */
export function GET(request: FrameworkRequest): Response {
  const reader = user.find(request);
  const marked = articles
    .map((article) => ({ ...article, isMine: article.author === reader }));
  return respond(schema.get, 200, marked);
}

/** Adds an article of the user. */
export function POST(request: FrameworkRequest<typeof schema.post>): Response {
  const author = user.get(request);
  const { title } = request.validated.body;
  articles.push({ title, author });
  return respond(schema.post, 201, { title, author, isMine: true });
}
