import { type FrameworkRequest, respond } from "@bough/framework";
import { NEWEST, Page, pageOf, toPage } from "../../../../pages.ts";
import { Submission } from "../../../../schemas.ts";
import { store } from "../../../../store/database.ts";
import { listSubmissions } from "../../../../store/reports.ts";

export const schema = {
  get: {
    summary: "List the submitted reports of all users, the newest first",
    query: Page,
    response: { 200: pageOf(Submission) },
  },
};

export function GET(request: FrameworkRequest<typeof schema.get>): Response {
  const { after = NEWEST, limit } = request.validated.query;
  const submissions = listSubmissions(store.get(request), after, limit + 1);
  const { page, headers } = toPage(request, submissions, limit);
  return respond(schema.get, 200, page, { headers });
}
