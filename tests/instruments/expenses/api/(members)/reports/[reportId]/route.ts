import {
  type FrameworkRequest,
  respond,
  type RouteSchema,
} from "@bough/framework";
import { Problem } from "@bough/framework/openapi";
import { z } from "zod";
import { assertUnchanged, isKnown, tagOf } from "../../../../preconditions.ts";
import { id, ifMatch, Report, ReportChanges } from "../../../../schemas.ts";
import { store } from "../../../../store/database.ts";
import {
  changeReport,
  getDraft,
  getReport,
  removeReport,
} from "../../../../store/reports.ts";
import { viewer } from "../../../../store/users.ts";

const params = z.object({ reportId: id });
const tag = z.object({ etag: z.string() });

export const schema = {
  get: {
    summary: "Read a report",
    params,
    headers: z.object({ "if-none-match": z.string().max(500).optional() }),
    response: { 200: { body: Report, headers: tag }, 304: { headers: tag } },
  },
  patch: {
    summary: "Change a draft",
    params,
    headers: ifMatch,
    body: ReportChanges,
    response: {
      200: { body: Report, headers: tag },
      409: Problem,
      412: Problem,
    },
  },
  delete: {
    summary: "Remove a draft",
    params,
    headers: ifMatch,
    response: { 204: {}, 409: Problem, 412: Problem },
  },
} satisfies RouteSchema;

export function GET(request: FrameworkRequest<typeof schema.get>): Response {
  const { reportId } = request.validated.params;
  const found = getReport(store.get(request), viewer.get(request), reportId);
  const headers = { etag: tagOf(found) };
  if (isKnown(request, headers.etag)) {
    return respond(schema.get, 304, { headers });
  }
  return respond(schema.get, 200, found.report, { headers });
}

export function PATCH(
  request: FrameworkRequest<typeof schema.patch>,
): Response {
  const { params: { reportId }, body } = request.validated;
  const data = store.get(request);
  const user = viewer.get(request);
  const found = getDraft(data, user, reportId);
  assertUnchanged(request, tagOf(found));
  const changed = changeReport(data, user, found, body);
  return respond(schema.patch, 200, changed.report, {
    headers: { etag: tagOf(changed) },
  });
}

export function DELETE(
  request: FrameworkRequest<typeof schema.delete>,
): Response {
  const { reportId } = request.validated.params;
  const data = store.get(request);
  const found = getDraft(data, viewer.get(request), reportId);
  assertUnchanged(request, tagOf(found));
  removeReport(data, found);
  return respond(schema.delete, 204);
}
