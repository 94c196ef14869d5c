import { type FrameworkRequest, HttpError, respond } from "@bough/framework";
import { Problem } from "@bough/framework/openapi";
import { z } from "zod";
import { Decision, id, Report } from "../../../../../../schemas.ts";
import { broadcast } from "../../../../../../store/chat.ts";
import { store } from "../../../../../../store/database.ts";
import { decide, getVisibleReport } from "../../../../../../store/reports.ts";
import { viewer } from "../../../../../../store/users.ts";

export const schema = {
  post: {
    summary: "Approve or reject a submitted report",
    params: z.object({ reportId: id }),
    body: z.strictObject({ decision: Decision }),
    response: { 200: Report, 404: Problem, 409: Problem },
  },
};

export function POST(request: FrameworkRequest<typeof schema.post>): Response {
  const { params: { reportId }, body: { decision } } = request.validated;
  const data = store.get(request);
  const admin = viewer.get(request);
  const { status } = getVisibleReport(data, admin, reportId).report;
  const report = decide(data, admin, reportId, decision);
  if (report === undefined) {
    const detail = `You cannot decide on report ${reportId}`;
    throw new HttpError(409, detail, { state: status });
  }
  broadcast(data, reportId, { type: "decided", decision, by: admin.name });
  return respond(schema.post, 200, report);
}
