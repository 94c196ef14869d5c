import { respond, type RouteSchema } from "@bough/framework";
import type { RequestOf } from "@/api.types.ts";
import { ArticleList, Page } from "@/schemas.ts";
import { listArticles } from "@/store/articles.ts";
import { viewer } from "@/store/database.ts";

export const schema = {
  get: {
    summary: "List the articles of the users that you follow",
    query: Page,
    response: ArticleList,
  },
} satisfies RouteSchema;

export function GET(request: RequestOf<"/articles/feed", "GET">): Response {
  const user = viewer.get(request);
  const filter = { ...request.validated.query, follower: user.id };
  return respond(schema.get, 200, listArticles(user, filter));
}
