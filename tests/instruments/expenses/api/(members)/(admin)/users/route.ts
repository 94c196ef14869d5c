import { type FrameworkRequest, respond } from "@bough/framework";
import { z } from "zod";
import { NEWEST, Page, pageOf, toPage } from "../../../../pages.ts";
import { User } from "../../../../schemas.ts";
import { store } from "../../../../store/database.ts";
import { listUsers } from "../../../../store/users.ts";

const Listed = User.extend({ createdAt: z.iso.datetime() })
  .meta({ id: "ListedUser" });

export const schema = {
  get: {
    summary: "List all users, the newest first",
    query: Page,
    response: { 200: pageOf(Listed) },
  },
};

export function GET(request: FrameworkRequest<typeof schema.get>): Response {
  const { after = NEWEST, limit } = request.validated.query;
  const users = listUsers(store.get(request), after, limit + 1);
  const { page, headers } = toPage(request, users, limit);
  return respond(schema.get, 200, page, { headers });
}
