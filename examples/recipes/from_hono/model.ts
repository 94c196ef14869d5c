import { HttpError } from "@bough/framework";
import { z } from "zod";

export const Post = z.object({
  id: z.string(),
  title: z.string().min(1).max(100),
  body: z.string().max(10_000),
}).meta({ id: "Post" });

export const Todo = z.object({
  id: z.string().min(1).max(50),
  title: z.string().min(1).max(100),
}).meta({ id: "Todo" });

export type Post = z.infer<typeof Post>;
export type Todo = z.infer<typeof Todo>;

/** In your application, a database. */
export const posts = new Map<string, Post>();
export const todos: Todo[] = [];

/** @throws {HttpError} 404 if there is no such post. */
export function getPost(id: string): Post {
  const post = posts.get(id);
  if (post === undefined) throw new HttpError(404, "Post not found");
  return post;
}
