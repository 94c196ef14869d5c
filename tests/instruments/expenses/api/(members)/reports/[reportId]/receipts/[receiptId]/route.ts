import {
  content,
  type FrameworkRequest,
  respond,
  type RouteSchema,
} from "@bough/framework";
import { Problem } from "@bough/framework/openapi";
import { z } from "zod";
import { attachment } from "../../../../../../attachment.ts";
import { id } from "../../../../../../schemas.ts";
import { store } from "../../../../../../store/database.ts";
import { getReceipt, removeReceipt } from "../../../../../../store/receipts.ts";
import { getDraft, getReport } from "../../../../../../store/reports.ts";
import { viewer } from "../../../../../../store/users.ts";

const params = z.object({ reportId: id, receiptId: id });

export const schema = {
  get: {
    summary: "Download a receipt",
    params,
    response: {
      200: {
        body: content("application/octet-stream"),
        headers: z.object({ "content-disposition": z.string() }),
      },
    },
  },
  delete: {
    summary: "Remove a receipt of a draft",
    params,
    response: { 204: {}, 409: Problem },
  },
} satisfies RouteSchema;

export function GET(request: FrameworkRequest<typeof schema.get>): Response {
  const { reportId, receiptId } = request.validated.params;
  const data = store.get(request);
  const { report } = getReport(data, viewer.get(request), reportId);
  const { name, content } = getReceipt(data, report.id, receiptId);
  return respond(schema.get, 200, content, {
    headers: {
      "content-disposition": attachment(name),
      "x-content-type-options": "nosniff",
    },
  });
}

export function DELETE(
  request: FrameworkRequest<typeof schema.delete>,
): Response {
  const { reportId, receiptId } = request.validated.params;
  const data = store.get(request);
  const { report } = getDraft(data, viewer.get(request), reportId);
  removeReceipt(data, report.id, receiptId);
  return respond(schema.delete, 204);
}
