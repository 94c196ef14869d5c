import {
  type FrameworkRequest,
  respond,
  type RouteSchema,
} from "@bough/framework";
import { Problem } from "@bough/framework/openapi";
import { z } from "zod";
import {
  Category,
  created,
  id,
  Item,
  NewItem,
} from "../../../../../schemas.ts";
import { store } from "../../../../../store/database.ts";
import { addItem, listItems } from "../../../../../store/items.ts";
import { getDraft, getReport } from "../../../../../store/reports.ts";
import { viewer } from "../../../../../store/users.ts";

const params = z.object({ reportId: id });

export const schema = {
  get: {
    summary: "List the items of a report by date",
    params,
    query: z.strictObject({
      category: Category.optional(),
      from: z.iso.date().optional().describe("The first day"),
      to: z.iso.date().optional().describe("The last day"),
    }),
    response: z.strictObject({ items: z.array(Item) }),
  },
  post: {
    summary: "Add an item to a draft",
    params,
    body: NewItem,
    response: { 201: created(Item), 409: Problem },
  },
} satisfies RouteSchema;

export function GET(request: FrameworkRequest<typeof schema.get>): Response {
  const { params: { reportId }, query } = request.validated;
  const data = store.get(request);
  const { report } = getReport(data, viewer.get(request), reportId);
  const items = listItems(data, report.id, query);
  return respond(schema.get, 200, { items });
}

export function POST(request: FrameworkRequest<typeof schema.post>): Response {
  const { params: { reportId }, body } = request.validated;
  const data = store.get(request);
  const { report } = getDraft(data, viewer.get(request), reportId);
  const item = addItem(data, report.id, body);
  return respond(schema.post, 201, item, {
    headers: { location: `/api/reports/${reportId}/items/${item.id}` },
  });
}
