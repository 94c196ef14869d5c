import { type FrameworkRequest, respond } from "@bough/framework";
import { Problem } from "@bough/framework/openapi";
import { z } from "zod";
import { id } from "../../../../../schemas.ts";
import { store } from "../../../../../store/database.ts";
import { getDraft, submitReport } from "../../../../../store/reports.ts";
import { viewer } from "../../../../../store/users.ts";

export const schema = {
  post: {
    summary: "Submit a draft for approval",
    params: z.object({ reportId: id }),
    response: {
      303: { headers: z.object({ location: z.string() }) },
      409: Problem,
    },
  },
};

export function POST(request: FrameworkRequest<typeof schema.post>): Response {
  const { reportId } = request.validated.params;
  const data = store.get(request);
  submitReport(data, getDraft(data, viewer.get(request), reportId));
  return respond(schema.post, 303, {
    headers: { location: `/api/reports/${reportId}` },
  });
}
