import {
  type FrameworkRequest,
  respond,
  type RouteSchema,
} from "@bough/framework";
import { Problem } from "@bough/framework/openapi";
import { findArticle } from "../../../../articles.ts";

export const schema = {
  put: {
    security: [{ bearer: ["moderate"] }],
    access: ["moderator"],
    response: { 204: {}, 404: Problem },
  },
} satisfies RouteSchema;

/** Pins an article. The guard has checked the scope. */
export function PUT(request: FrameworkRequest<"/articles/[id]/pin">): Response {
  findArticle(request.params.id).isPinned = true;
  return respond(schema.put, 204);
}
