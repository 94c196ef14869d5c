import {
  type FrameworkRequest,
  respond,
  type RouteSchema,
} from "@bough/framework";
import { Problem } from "@bough/framework/openapi";
import { z } from "zod";
import {
  created,
  id,
  MAX_RECEIPT,
  Receipt,
  RECEIPT_TYPES,
} from "../../../../../schemas.ts";
import { store } from "../../../../../store/database.ts";
import { addReceipt, listReceipts } from "../../../../../store/receipts.ts";
import { getDraft, getReport } from "../../../../../store/reports.ts";
import { viewer } from "../../../../../store/users.ts";

const params = z.object({ reportId: id });

export const schema = {
  get: {
    summary: "List the receipts of a report",
    params,
    response: z.strictObject({ items: z.array(Receipt) }),
  },
  post: {
    summary: "Add a receipt to a draft",
    params,
    body: z.strictObject({
      file: z.file().min(1).max(MAX_RECEIPT).mime([...RECEIPT_TYPES]),
    }),
    response: { 201: created(Receipt), 409: Problem },
  },
} satisfies RouteSchema;

export function GET(request: FrameworkRequest<typeof schema.get>): Response {
  const { reportId } = request.validated.params;
  const data = store.get(request);
  const { report } = getReport(data, viewer.get(request), reportId);
  const items = listReceipts(data, report.id);
  return respond(schema.get, 200, { items });
}

export async function POST(
  request: FrameworkRequest<typeof schema.post>,
): Promise<Response> {
  const { params: { reportId }, body: { file } } = request.validated;
  const content = await file.bytes();
  const data = store.get(request);
  const { report } = getDraft(data, viewer.get(request), reportId);
  const receipt = addReceipt(data, report.id, file, content);
  return respond(schema.post, 201, receipt, {
    headers: { location: `/api/reports/${reportId}/receipts/${receipt.id}` },
  });
}
