import {
  type FrameworkRequest,
  HttpError,
  respond,
  type RouteSchema,
} from "@bough/framework";
import { Problem } from "@bough/framework/openapi";
import { Article, articles, Draft, findArticle } from "../../../articles.ts";
import { user } from "../../../user.ts";

export const schema = {
  get: {
    security: [], // everyone, even without a token
    access: "public",
    response: { 200: Article, 404: Problem },
  },
  put: {
    security: [{ bearer: ["write"] }],
    access: "owner",
    body: Draft,
    response: { 200: Article, 404: Problem },
  },
  delete: {
    access: ["owner", "moderator"],
    response: { 204: {}, 404: Problem },
  },
} satisfies RouteSchema;

/** Removes an article, as its author or as a moderator. */
export function DELETE(request: FrameworkRequest<"/articles/[id]">): Response {
  const { id, author } = findArticle(request.params.id);
  const { name, scopes } = user.get(request);
  if (author !== name && !scopes.includes("moderate")) throw new HttpError(403);
  articles.delete(id);
  return respond(schema.delete, 204);
}

/** Sends an article. */
export function GET(request: FrameworkRequest<"/articles/[id]">): Response {
  return respond(schema.get, 200, findArticle(request.params.id));
}

/** Changes an article of the user. */
export function PUT(
  request: FrameworkRequest<typeof schema.put, "/articles/[id]">,
): Response {
  const article = findArticle(request.params.id);
  if (article.author !== user.get(request).name) throw new HttpError(403);
  article.title = request.validated.body.title;
  return respond(schema.put, 200, article);
}
