import {
  type FrameworkRequest,
  respond,
  type RouteSchema,
} from "@bough/framework";
import { Problem } from "@bough/framework/openapi";
import { z } from "zod";
import { getPost, Post } from "../../../model.ts";

export const schema = {
  get: { response: { 200: z.object({ post: Post }), 404: Problem } },
} satisfies RouteSchema;

export function GET(request: FrameworkRequest<"/posts/[id]">): Response {
  return respond(schema.get, 200, { post: getPost(request.params.id) });
}
