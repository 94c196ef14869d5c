import {
  type FrameworkRequest,
  respond,
  type RouteSchema,
} from "@bough/framework";
import { Problem } from "@bough/framework/openapi";
import { z } from "zod";
import { id, Item, ItemChanges } from "../../../../../../schemas.ts";
import { store } from "../../../../../../store/database.ts";
import {
  changeItem,
  getItem,
  removeItem,
} from "../../../../../../store/items.ts";
import { getDraft, getReport } from "../../../../../../store/reports.ts";
import { viewer } from "../../../../../../store/users.ts";

const params = z.object({ reportId: id, itemId: id });

export const schema = {
  get: { summary: "Read an item", params, response: Item },
  patch: {
    summary: "Change an item of a draft",
    params,
    body: ItemChanges,
    response: { 200: Item, 409: Problem },
  },
  delete: {
    summary: "Remove an item of a draft",
    params,
    response: { 204: {}, 409: Problem },
  },
} satisfies RouteSchema;

export function GET(request: FrameworkRequest<typeof schema.get>): Response {
  const { reportId, itemId } = request.validated.params;
  const data = store.get(request);
  const { report } = getReport(data, viewer.get(request), reportId);
  return respond(schema.get, 200, getItem(data, report.id, itemId));
}

export function PATCH(
  request: FrameworkRequest<typeof schema.patch>,
): Response {
  const { params: { reportId, itemId }, body } = request.validated;
  const data = store.get(request);
  const { report } = getDraft(data, viewer.get(request), reportId);
  const item = changeItem(data, report.id, itemId, body);
  return respond(schema.patch, 200, item);
}

export function DELETE(
  request: FrameworkRequest<typeof schema.delete>,
): Response {
  const { reportId, itemId } = request.validated.params;
  const data = store.get(request);
  const { report } = getDraft(data, viewer.get(request), reportId);
  removeItem(data, report.id, itemId);
  return respond(schema.delete, 204);
}
