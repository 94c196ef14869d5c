import { HttpError } from "@bough/framework";
import { z } from "zod";

export const Article = z.object({
  id: z.string(),
  title: z.string().min(1).max(100),
  author: z.string(),
  isPinned: z.boolean(),
});

export const Draft = Article.pick({ title: true });

export type Article = z.infer<typeof Article>;

/** In your application, a table. */
export const articles = new Map<string, Article>();

/** @throws {HttpError} 404 if the article does not exist. */
export function findArticle(id: string): Article {
  const article = articles.get(id);
  if (article === undefined) throw new HttpError(404);
  return article;
}
