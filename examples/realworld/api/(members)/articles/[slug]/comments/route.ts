import { respond, type RouteSchema } from "@bough/framework";
import { z } from "zod";
import type { RequestOf } from "@/api.types.ts";
import { Failure } from "@/errors.ts";
import { Comment, everyone, text } from "@/schemas.ts";
import { addComment, listComments } from "@/store/comments.ts";
import { viewer } from "@/store/database.ts";

export const schema = {
  get: {
    summary: "List the comments on an article",
    security: everyone,
    access: "public",
    response: { 200: z.object({ comments: z.array(Comment) }), 404: Failure },
  },
  post: {
    summary: "Comment on an article",
    body: z.object({ comment: z.object({ body: text }) }),
    response: { 200: z.object({ comment: Comment }), 404: Failure },
  },
} satisfies RouteSchema;

export function GET(
  request: RequestOf<"/articles/[slug]/comments", "GET">,
): Response {
  const comments = listComments(viewer.get(request), request.params.slug);
  return respond(schema.get, 200, { comments });
}

export function POST(
  request: RequestOf<"/articles/[slug]/comments", "POST">,
): Response {
  const { params: { slug }, validated: { body } } = request;
  const comment = addComment(viewer.get(request), slug, body.comment.body);
  return respond(schema.post, 200, { comment });
}
