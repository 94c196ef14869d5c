import {
  type FrameworkRequest,
  respond,
  type RouteSchema,
} from "@bough/framework";
import { z } from "zod";
import { NEWEST, Page, pageOf, toPage } from "../../../pages.ts";
import { NewReport, Report, Status } from "../../../schemas.ts";
import { tagOf } from "../../../preconditions.ts";
import { store } from "../../../store/database.ts";
import { addReport, listReports } from "../../../store/reports.ts";
import { viewer } from "../../../store/users.ts";

export const schema = {
  get: {
    summary: "List your reports, the newest first",
    query: Page.extend({ status: Status.optional() }),
    response: { 200: pageOf(Report) },
  },
  post: {
    summary: "Start a report",
    body: NewReport,
    response: {
      201: {
        body: Report,
        headers: z.object({ location: z.string(), etag: z.string() }),
      },
    },
  },
} satisfies RouteSchema;

export function GET(request: FrameworkRequest<typeof schema.get>): Response {
  const { after: position = NEWEST, limit, status } = request.validated.query;
  const filter = { status, position, limit: limit + 1 };
  const reports = listReports(
    store.get(request),
    viewer.get(request),
    filter,
  );
  const { page, headers } = toPage(request, reports, limit);
  return respond(schema.get, 200, page, { headers });
}

export function POST(request: FrameworkRequest<typeof schema.post>): Response {
  const { body } = request.validated;
  const added = addReport(store.get(request), viewer.get(request), body);
  return respond(schema.post, 201, added.report, {
    headers: {
      location: `/api/reports/${added.report.id}`,
      etag: tagOf(added),
    },
  });
}
