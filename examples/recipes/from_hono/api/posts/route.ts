import {
  type FrameworkRequest,
  respond,
  type RouteSchema,
} from "@bough/framework";
import { z } from "zod";
import { requireCredentials } from "../../credentials.ts";
import { Post, posts } from "../../model.ts";

export const schema = {
  get: {
    query: z.object({
      limit: z.coerce.number().int().min(1).max(100).default(20),
      offset: z.coerce.number().int().min(0).default(0),
    }),
    response: z.object({ posts: z.array(Post) }),
  },
  post: { body: Post.omit({ id: true }), response: { 201: Post } },
} satisfies RouteSchema;

/** `app.post("/posts", basicAuth(…), handler)`: only `POST` needs credentials. */
export const middleware = { POST: [requireCredentials] } as const;

export function GET(request: FrameworkRequest<typeof schema.get>): Response {
  const { limit, offset } = request.validated.query;
  const page = [...posts.values()].slice(offset, offset + limit);
  return respond(schema.get, 200, { posts: page });
}

export function POST(request: FrameworkRequest<typeof schema.post>): Response {
  const post = { id: crypto.randomUUID(), ...request.validated.body };
  posts.set(post.id, post);
  const headers = { location: `/api/posts/${post.id}` };
  return respond(schema.post, 201, post, { headers });
}
